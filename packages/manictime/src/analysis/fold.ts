import { domainToUnicode } from 'node:url';
import { remembered } from '../database/model/text.ts';

/** One of them, U+FEFF, is also a space to regular expressions. */
const INVISIBLE: RegExp = /[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;

/** Printable ASCII without codes and plus signs: nearly all titles. */
const PLAIN = /^[\x20-$&-*,-~]*$/;

/** Addresses contain addresses, which are then encoded twice. */
const MAX_DECODINGS = 3;

/**
 * A text as privacy rules and searches compare it. Equal are: composed, decomposed and wide letters, upper and lower case,
 * letters with one capital (ı and i, ß and ss, ς and σ), all spaces, all dashes, invisible characters and their absence, encoded
 * and readable addresses. Takes linear time.
 */
export function fold(text: string): string {
  if (PLAIN.test(text)) {
    const lower = text.toLowerCase();
    if (!lower.includes('  ') && !lower.includes('xn--')) return lower.trim();
  }
  return foldOdd(text);
}

const foldOdd = remembered((text) =>
  decoded(text)
    .normalize('NFKC')
    .replaceAll(INVISIBLE, '')
    .replaceAll(/[\p{Z}\s]+/gu, ' ')
    .replaceAll(/\p{Cc}+/gu, '')
    .replaceAll(/[\p{Pd}\u{2212}\u{2043}\u{2D7}]/gu, '-')
    .replaceAll('\u{3002}', '.')
    .replaceAll(/xn--[a-z0-9-]+/gi, (label) => domainToUnicode(label) || label)
    .replaceAll(/(?<=[\p{L}\p{N}])\+(?=[\p{L}\p{N}])/gu, ' ')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('\u{3C2}', '\u{3C3}')
    .replaceAll(/i\u{307}+/gu, 'i')
    .normalize('NFKC')
    .trim(),
);

function decoded(text: string): string {
  let readable = text;
  for (let round = 0; round < MAX_DECODINGS && readable.includes('%'); round += 1)
    readable = readable.replaceAll(/(?:%[\da-f]{2})+/gi, decodedRun);
  return readable;
}

function decodedRun(codes: string): string {
  const bytes = Buffer.from(codes.replaceAll('%', ''), 'hex');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

type Texts = readonly (string | undefined)[];

/**
 * Whether texts contain all words of a term, in any order, and its phrases in quotation marks. The words can be in different
 * texts. See {@link fold} for what does not matter.
 *
 * Names of programs, sites and files are few, so that each is compared once; titles and addresses are many.
 */
export function containing(term: string): (names: Texts, texts?: Texts) => boolean {
  const visible = term.replaceAll(INVISIBLE, '');
  const words = Array.from(visible.matchAll(/["“”]([^"“”]+)["“”]|\S+/g), ([word, phrase]) =>
    fold(phrase ?? word),
  );
  const missingIn = (text: string) => {
    const folded = fold(text);
    return words.filter((word) => !folded.includes(word));
  };
  const missingInName = remembered(missingIn);
  return (names, texts = []) => {
    let missing: readonly string[] = words;
    const look = (text: string | undefined, of: typeof missingIn) => {
      const without = text === undefined ? words : of(text);
      if (without.length < words.length) missing = missing.filter((word) => without.includes(word));
    };
    for (const name of names) look(name, missingInName);
    for (const text of texts) look(text, missingIn);
    return missing.length === 0;
  };
}
