import type { DiagnosticNote } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import { explained } from '../database/model/notes.ts';
import { fold } from './fold.ts';

/** Collects the names of fields that are asked for, to tell why nothing matches. */
export class NearNames {
  readonly #wanted = new Map<string, { readonly text: string; readonly names: Set<string> }>();

  /** @param wanted texts by field; fields without a text are not asked for */
  constructor(wanted: Readonly<Record<string, string | undefined>>) {
    for (const [field, text] of Object.entries(wanted))
      if (text !== undefined) this.#wanted.set(field, { text, names: new Set() });
  }

  asksFor(field: string): boolean {
    return this.#wanted.has(field);
  }

  add(field: string, names: readonly (string | undefined)[]): void {
    const known = this.#wanted.get(field)?.names;
    if (known !== undefined) for (const name of names) if (name !== undefined) known.add(name);
  }

  /** @param sentence what does not match */
  note(sentence: string): DiagnosticNote {
    const near = Array.from(this.#wanted, ([field, { text, names }]) => {
      const known = nearestNames(text, names).map((name) => escapeInvisible(name));
      return known.length === 0 ? '' : ` Known names of ${field}: ${known.join(', ')}.`;
    });
    return explained('NoMatch', `${sentence}${near.join('')}`);
  }
}

const MAX_NEAR_NAMES = 5;

/** The names that have most pairs of letters in common with a text. Of equals the first. */
function nearestNames(text: string, names: Iterable<string>): string[] {
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
