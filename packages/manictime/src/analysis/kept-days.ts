import { DAY, startOfDay, type WallTime } from '@deskside/core/dates';
import { type Asked, type Day, type Needs, readDays, type Source } from './days.ts';
import type { PrivacyRules } from './privacy.ts';

/** Atoms and rows of all kept days: a year of a person has 470,000, which take 105 MB. */
const MAX_KEPT = 500_000;

/** `readDays`, of which whole days stay in memory until the database has a new commit. */
export function* daysOf(asked: Asked, needs: Needs = 'all'): Generator<Day> {
  const { range } = asked;
  const kept = keptDays(asked);
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
    for (const read of readDays({ ...asked, range: missing }, { needs })) {
      if (isWhole(read.day)) kept?.add(read, needs);
      yield read;
    }
    day = end;
  }
}

/** By the rules of a server, which has one database. */
const known = new WeakMap<PrivacyRules, KeptDays>();

function keptDays({ snapshot: { version }, rules }: Source): KeptDays | undefined {
  if (version === undefined) return undefined;
  if (known.get(rules)?.version !== version) known.set(rules, new KeptDays(version));
  return known.get(rules);
}

/** Days of one version of a database. */
class KeptDays {
  readonly #days = new Map<WallTime, { readonly kept: Day; readonly needs: Needs }>();
  #size = 0;
  readonly version: string;

  constructor(version: string) {
    this.version = version;
  }

  /** A day that has all answers questions about windows, too. */
  get(day: WallTime, needs: Needs): Day | undefined {
    const found = this.#days.get(day);
    return found?.needs === 'all' || found?.needs === needs ? found.kept : undefined;
  }

  /** A day that does not fit is read again: a long range would else drive out each of its days before it is asked for. */
  add(kept: Day, needs: Needs): void {
    const size = this.#size + sizeOf(kept) - sizeOf(this.#days.get(kept.day)?.kept);
    if (size > MAX_KEPT) return;
    this.#days.set(kept.day, { kept, needs });
    this.#size = size;
  }
}

function sizeOf(day: Day | undefined): number {
  if (day === undefined) return 0;
  return [day.atoms, day.applications, day.usage, day.tags].reduce((sum, { length }) => sum + length, 0);
}
