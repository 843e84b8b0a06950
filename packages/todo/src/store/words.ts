/** Letters and digits with their marks, as the tokenizer of the SQLite index separates them. */
const WORD = /[\p{L}\p{N}\p{Mn}\p{Mc}\p{Co}]+/gu;

const LATIN_MARKS = /[\u0300-\u036F]/g;

/** The words of a text for searching: lower case, without the accents of Latin letters, each one once. */
export function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFD').replaceAll(LATIN_MARKS, '').normalize('NFC').toLowerCase();
  return [...new Set(plain.match(WORD))];
}
