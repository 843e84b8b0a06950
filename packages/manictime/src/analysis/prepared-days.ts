import { DAY, startOfDay, type WallTime } from '@deskside/core/dates';
import { getOrAdd } from '@deskside/core/base';
import type { Snapshot } from '../database/snapshot.ts';
import type { LocalRange } from '../database/model/activity.ts';
import { type DayAtoms, type DayRows, type Needs, readDays } from './days.ts';
import type { PrivacyRules } from './privacy.ts';

/** Of all kept days: a year of a person, about 90 MB. */
const MAX_KEPT_ATOMS = 250_000;

/**
 * The same as `readDays`, without the rows of windows and documents. Whole days stay in memory until the
 * database has a new commit: a second question about a month reads nothing.
 */
export function* readAtoms(
  snapshot: Snapshot,
  range: LocalRange,
  rules: PrivacyRules,
  needs: Needs = 'all',
): Generator<DayAtoms> {
  const kept = keptDays(snapshot, rules);
  const isWhole = (day: WallTime) => day >= range.from && day + DAY <= range.to;
  for (let day = startOfDay(range.from); day < range.to;) {
    const known = isWhole(day) ? kept?.get(day, needs) : undefined;
    if (known !== undefined) {
      yield known;
      day += DAY;
      continue;
    }
    let end = day + DAY;
    while (end < range.to && kept?.get(end, needs) === undefined) end += DAY;
    const missing = { from: Math.max(day, range.from), to: Math.min(end, range.to) };
    for (const rows of readDays(snapshot, missing, rules, { needs })) {
      const atoms = atomsOf(rows);
      if (isWhole(atoms.day)) kept?.add(atoms, needs);
      yield atoms;
    }
    day = end;
  }
}

function atomsOf(rows: DayRows): DayAtoms {
  const { applications: _, documents, others, concealedRows, unattributedRows, screen, ...atoms } = rows;
  return atoms;
}

const known = new WeakMap<object, WeakMap<PrivacyRules, KeptDays>>();

function keptDays({ state }: Snapshot, rules: PrivacyRules): KeptDays | undefined {
  if (state === undefined) return undefined;
  const ofOwner = getOrAdd(known, state.owner, () => new WeakMap<PrivacyRules, KeptDays>());
  const found = ofOwner.get(rules);
  if (found?.version === state.version) return found;
  const days = new KeptDays(state.version);
  ofOwner.set(rules, days);
  return days;
}

/** Days of one version of a database. */
class KeptDays {
  readonly version: string;
  readonly #days = new Map<WallTime, { readonly atoms: DayAtoms; readonly needs: Needs }>();
  #size = 0;

  constructor(version: string) {
    this.version = version;
  }

  /** A day that has all answers questions about windows, too. */
  get(day: WallTime, needs: Needs): DayAtoms | undefined {
    const found = this.#days.get(day);
    return found?.needs === 'all' || found?.needs === needs ? found.atoms : undefined;
  }

  /** Those that were added first go first. */
  add(atoms: DayAtoms, needs: Needs): void {
    this.#remove(atoms.day);
    this.#days.set(atoms.day, { atoms, needs });
    this.#size += sizeOf(atoms);
    for (const day of this.#days.keys()) {
      if (this.#size <= MAX_KEPT_ATOMS) break;
      this.#remove(day);
    }
  }

  #remove(day: WallTime): void {
    const found = this.#days.get(day);
    if (found !== undefined) this.#size -= sizeOf(found.atoms);
    this.#days.delete(day);
  }
}

function sizeOf({ atoms, usage, tags }: DayAtoms): number {
  return atoms.length + usage.length + tags.length;
}
