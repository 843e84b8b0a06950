import { domainToUnicode } from 'node:url';
import { remembered } from '../database/model/text.ts';

/** One of them, U+FEFF, is also a space to regular expressions. */
export const INVISIBLE: RegExp = /[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;

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
