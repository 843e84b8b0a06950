import { fold } from './fold.ts';

type Texts = readonly (string | undefined)[];

/**
 * Whether texts contain all words of a term, in any order, and its phrases in quotation marks. The words can be in different
 * texts. See {@link fold} for what does not matter.
 */
export function containing(term: string): (texts: Texts) => boolean {
  const words = Array.from(term.matchAll(/["“”]([^"“”]+)["“”]|\S+/g), ([word, phrase]) =>
    fold(phrase ?? word),
  );
  return (texts) => {
    const known = texts.filter((text) => text !== undefined).map(fold);
    return words.every((word) => known.some((text) => text.includes(word)));
  };
}

const MAX_NEAR_NAMES = 5;

/** The names that have most pairs of letters in common with a text. Of equals the first. */
export function nearestNames(text: string, names: Iterable<string>): string[] {
  const wanted = pairsOf(text);
  const likeness = new Map(
    Array.from(names, (name) => [name, [...pairsOf(name)].filter((pair) => wanted.has(pair)).length]),
  );
  return [...likeness]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_NEAR_NAMES)
    .map(([name]) => name);
}

function pairsOf(text: string): Set<string> {
  const letters = fold(text).replaceAll(/[^\p{L}\p{N}]/gu, '');
  return new Set(
    Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)),
  );
}
