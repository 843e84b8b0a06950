import { DAY, startOfDay, type WallTime } from '@deskside/core/dates';
import { getOrAdd } from '@deskside/core/base';
import type { Snapshot } from '../database/snapshot.ts';
import type { LocalRange } from '../database/model/activity.ts';
import { type DayAtoms, type DayRows, readDays } from './days.ts';
import type { PrivacyRules } from './privacy.ts';

/** Of all kept days: one or two months of a person, about 20 MB. */
const MAX_KEPT_ATOMS = 40_000;

/**
 * The same as `readDays`, without the rows of windows and documents. Whole days stay in memory until the
 * database has a new commit: a second question about a month reads nothing.
 */
export function* readAtoms(snapshot: Snapshot, range: LocalRange, rules: PrivacyRules): Generator<DayAtoms> {
  const kept = keptDays(snapshot, rules);
  const isWhole = (day: WallTime) => day >= range.from && day + DAY <= range.to;
  for (let day = startOfDay(range.from); day < range.to;) {
    const known = isWhole(day) ? kept?.days.get(day) : undefined;
    if (known !== undefined) {
      yield known;
      day += DAY;
      continue;
    }
    let end = day + DAY;
    while (end < range.to && kept?.days.has(end) !== true) end += DAY;
    const missing = { from: Math.max(day, range.from), to: Math.min(end, range.to) };
    for (const rows of readDays(snapshot, missing, rules)) {
      const atoms = atomsOf(rows);
      if (isWhole(atoms.day)) kept?.add(atoms);
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
  readonly days = new Map<WallTime, DayAtoms>();
  #atoms = 0;

  constructor(version: string) {
    this.version = version;
  }

  /** Those that were added first go first. */
  add(added: DayAtoms): void {
    this.days.set(added.day, added);
    this.#atoms += sizeOf(added);
    for (const [day, oldest] of this.days) {
      if (this.#atoms <= MAX_KEPT_ATOMS) break;
      this.days.delete(day);
      this.#atoms -= sizeOf(oldest);
    }
  }
}

function sizeOf({ atoms, usage, tags }: DayAtoms): number {
  return atoms.length + usage.length + tags.length;
}
