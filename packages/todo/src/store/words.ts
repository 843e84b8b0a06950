/** Letters and digits with their marks, as the tokenizer of the SQLite index separates them. */
const WORD = /[\p{L}\p{N}\p{Mn}\p{Mc}\p{Co}]+/gu;

/** The index of SQLite folds these accents of Latin letters only: й and ї are letters, not и and і with an accent. */
const LATIN_ACCENTS = /(?<=\p{Script=Latin}\p{M}*)[\u0300-\u036F]/gu;

/** The words of a text for searching: lower case, without the accents of Latin letters, each one once. */
export function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFD').replaceAll(LATIN_ACCENTS, '').normalize('NFC').toLowerCase();
  return [...new Set(plain.match(WORD))];
}

/** A word as earlier versions stored it in PostgreSQL: without these accents in every script. */
export function earlierWord(word: string): string {
  return word
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .normalize('NFC');
}
