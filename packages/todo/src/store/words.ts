/** What words consist of: letters and digits with their marks. */
const CHARACTER = String.raw`[\p{L}\p{N}\p{Mn}\p{Mc}\p{Co}]`;
const WORD = new RegExp(`${CHARACTER}+`, 'gu');

/** Only Latin letters lose their accents: й and ї are letters, not и and і with an accent. */
const LATIN_ACCENTS = /(?<=\p{Script=Latin}\p{M}*)[\u0300-\u036F]/gu;

/**
 * Lower case that Unicode does not fold: ς ends a word, but not each prefix of it; I is the upper case of ı and of i, and SS that
 * of ß. A stroke is not an accent in Unicode.
 */
const FOLDS: Readonly<Record<string, string>> = {
  ς: 'σ',
  ı: 'i',
  ß: 'ss',
  đ: 'd',
  ħ: 'h',
  ł: 'l',
  ø: 'o',
  ŧ: 't',
};
const FOLDED = new RegExp(`[${Object.keys(FOLDS).join('')}]`, 'g');

/** Neither accents nor special cases. */
const ASCII = /^[\0-\u007F]*$/;

/** The words of a text for searching: lower case, without the accents of Latin letters, each one once. */
export function wordsOf(text: string): readonly string[] {
  return [...new Set(fold(text).match(WORD))];
}

/** @param prefixes from `wordsOf` @returns whether each of them begins a word of a text */
export function wordMatcher(prefixes: readonly string[]): (text: string) => boolean {
  // Words have no characters with a meaning in a pattern.
  const patterns = prefixes.map((prefix) => new RegExp(`(?<!${CHARACTER})${prefix}`, 'u'));
  return (text) => {
    const folded = fold(text);
    return patterns.every((pattern) => pattern.test(folded));
  };
}

function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const plain = text.normalize('NFD').replaceAll(LATIN_ACCENTS, '').normalize('NFC').toLowerCase();
  return plain.replaceAll(FOLDED, (letter) => FOLDS[letter] ?? letter);
}
