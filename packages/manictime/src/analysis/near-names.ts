import type { DiagnosticNote } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import { explained } from '../database/model/notes.ts';
import type { Asked } from './days.ts';
import { fold } from './fold.ts';
import { Sums } from './group.ts';
import { groupKey, NAME_KEYS, type NameKey } from './keys.ts';
import { type CategorizedSource, countRange } from './range.ts';

/** What tools and filters call a key. */
const OTHER_NAMES: Readonly<Record<string, NameKey>> = {
  applications: 'application',
  document: 'file',
  documents: 'file',
  website: 'site',
  websites: 'site',
};

/** Why nothing matches. @param sentence what does not @param terms the texts of fields that were asked for */
export function noMatch(
  asked: Asked & CategorizedSource,
  sentence: string,
  terms: readonly (readonly [field: string, text: string])[],
): DiagnosticNote {
  const near = terms.map(([field, text]) => {
    const key = OTHER_NAMES[field] ?? NAME_KEYS.find((each) => each === field);
    // Titles are too many to tell which are near.
    if (key === undefined || key === 'title') return '';
    const sums = new Sums({ by: [groupKey(key, { ...asked, exactTitles: false })] });
    countRange(asked, [sums]);
    const names = sums.total.parts().map(({ name }) => name);
    const known = nearestNames(text, names).map((name) => escapeInvisible(name));
    return known.length === 0 ? '' : ` Known names of ${field}: ${known.join(', ')}.`;
  });
  return explained('NoMatch', `${sentence}${near.join('')}`);
}

const MAX_NEAR_NAMES = 5;

/** The names that have most pairs of letters in common with a text. Of equals the first. */
function nearestNames(text: string, names: readonly string[]): string[] {
  const wanted = pairsOf(text);
  const likeness = names.map((name) => {
    return { name, pairs: [...pairsOf(name)].filter((pair) => wanted.has(pair)).length };
  });
  return likeness
    .toSorted((a, b) => b.pairs - a.pairs)
    .slice(0, MAX_NEAR_NAMES)
    .map(({ name }) => name);
}

function pairsOf(text: string): Set<string> {
  const letters = fold(text).replaceAll(/[^\p{L}\p{N}]/gu, '');
  return new Set(
    Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)),
  );
}
