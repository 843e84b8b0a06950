import { type AggregateSubject, aggregates, aggregateTable } from '../database/sql/aggregates.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { hasRules, type PrivacyRules } from '../privacy/rules.ts';
import { DAY, formatDate, HOUR, parseStoredTime, startOfDay } from '../time/wall-clock.ts';
import type { LocalRange } from '../timeline/activity.ts';
import { type RangeRows, readRange } from '../timeline/range-rows.ts';
import { rawUsage } from './raw-usage.ts';
import type { Usage, UsageRow, UsageSubject, UsedThing } from './usage.ts';

const TABLES: Readonly<Record<UsageSubject, AggregateSubject>> = {
  applications: 'Application',
  websites: 'WebSite',
  documents: 'Document',
};

/** Seconds of an hour or a day. */
export type Grain = typeof HOUR | typeof DAY;

/**
 * Usage in a range, from the sums that ManicTime keeps: they are hourly or daily, so they serve where the range
 * and the grain allow it, and nothing private has to be taken out of them. Else single activities are added up.
 *
 * @param rows of the range with its documents, where the caller has them already
 */
export function readUsage(
  snapshot: Snapshot,
  subject: UsageSubject,
  range: LocalRange,
  grain: Grain,
  rules: PrivacyRules,
  rows?: RangeRows,
): Usage {
  const table = aggregateTable(snapshot.layout, TABLES[subject]);
  const lacksSums = table === undefined;
  const step = table?.grain === 'hour' ? HOUR : DAY;
  const fits = step <= grain && range.from % step === 0 && range.to % step === 0;
  if (table !== undefined && fits && !hasRules(rules)) {
    const thingOf = commonThings(snapshot);
    const stored = aggregates(snapshot.database, table, formatDate(range.from), formatDate(range.to - 1));
    const kept = stored.flatMap(({ commonId, time, seconds }): UsageRow[] => {
      const hour = parseStoredTime(time);
      if (hour === undefined || hour < range.from || hour >= range.to) return [];
      return [{ thing: thingOf(commonId), period: grain === DAY ? startOfDay(hour) : hour, seconds }];
    });
    if (kept.length > 0) return { rows: kept, source: 'kept sums', lacksSums };
  }
  const raw = rows ?? readRange(snapshot, range, rules, { documents: subject !== 'applications' });
  return { rows: rawUsage(raw, subject, range, grain), source: 'raw', lacksSums };
}

/** Each made once: a month has thousands of rows and hundreds of things. */
function commonThings({ groups }: Snapshot): (commonId: number) => UsedThing {
  const things = new Map<number, UsedThing>();
  return (commonId) => {
    const known = things.get(commonId);
    if (known !== undefined) return known;
    const { name, color, key } = groups.common(commonId);
    const thing = { id: `common/${commonId}`, name: name ?? key ?? 'Unknown', color, key };
    things.set(commonId, thing);
    return thing;
  };
}
