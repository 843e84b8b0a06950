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
const known = new WeakMap<PrivacyRules, ReturnType<typeof emptyDays>>();

function keptDays({ snapshot: { version }, rules }: Source) {
  if (version === undefined) return undefined;
  if (known.get(rules)?.version !== version) known.set(rules, emptyDays(version));
  return known.get(rules);
}

/** No days yet of one version of a database. */
function emptyDays(version: string) {
  const days = new Map<WallTime, { readonly kept: Day; readonly needs: Needs }>();
  let size = 0;
  return {
    version,
    /** A day that has all answers questions about windows, too. */
    get(day: WallTime, needs: Needs): Day | undefined {
      const found = days.get(day);
      return found?.needs === 'all' || found?.needs === needs ? found.kept : undefined;
    },
    /** A day that does not fit is read again: a long range would else drive out each of its days before it is asked for. */
    add(kept: Day, needs: Needs): void {
      const grown = size + sizeOf(kept) - sizeOf(days.get(kept.day)?.kept);
      if (grown > MAX_KEPT) return;
      days.set(kept.day, { kept, needs });
      size = grown;
    },
  };
}

function sizeOf(day: Day | undefined): number {
  if (day === undefined) return 0;
  return day.atoms.length + day.applications.length + day.usage.length + day.tags.length;
}
