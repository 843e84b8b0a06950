import { DAY, startOfDay } from '@deskside/core/dates';
import { groupSubjects, matchesRule, textSubjects } from '../analysis/privacy.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { tagsOfRow } from '../database/tags.ts';
import { dataSpan, dataSpans } from '../database/timelines.ts';
import { type LocalRange, ofKind } from '../database/model/activity.ts';
import type { QuerySources } from './sources.ts';

export const REPORTED_DAYS = 30;

function reportedRange(snapshot: Snapshot): LocalRange | undefined {
  // Calendars and planned tags have rows in the future; windows have none.
  const windows = new Set(ofKind(snapshot.timelines, 'applications').map(({ reportId }) => reportId));
  const ends = dataSpans(snapshot).spans.flatMap((span) =>
    span.end !== undefined && windows.has(span.reportId) ? [span.end] : [],
  );
  const end = ends.length === 0 ? dataSpan(snapshot).end : Math.max(...ends);
  if (end === undefined) return undefined;
  const to = startOfDay(end + DAY - 1);
  return { from: to - REPORTED_DAYS * DAY, to };
}

/** The rules, as written, that match no name of the last days with data: probably mistyped. One pass over the rows. */
export function unusedRules({ read, rules }: QuerySources): Promise<readonly string[]> {
  return read((snapshot) => {
    const range = reportedRange(snapshot);
    const unused = new Set(range === undefined ? [] : [...rules.exclude, ...rules.redact]);
    if (range === undefined || unused.size === 0) return [];
    const timelines = snapshot.timelines.filter(({ kind }) => kind !== 'usage');
    for (const { activities } of snapshot.batches(timelines, range)) {
      for (const row of activities) {
        const tags = tagsOfRow(snapshot, row);
        const texts = row.timeline.kind === 'tags' ? [tags.join(', ')] : [row.name, ...tags];
        const subjects = [groupSubjects(row), ...texts.map((text) => textSubjects(row, text))];
        for (const rule of unused) if (subjects.some((each) => matchesRule(rule, each))) unused.delete(rule);
      }
      if (unused.size === 0) break;
    }
    return Array.from(unused, ({ text }) => text);
  });
}
