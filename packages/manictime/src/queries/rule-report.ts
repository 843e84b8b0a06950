import { DAY, startOfDay } from '@deskside/core/dates';
import type { Asked, Day } from '../analysis/days.ts';
import { countRange } from '../analysis/range.ts';
import { groupSubjects, matchesRule, type Rule, textSubjects } from '../analysis/privacy.ts';
import type { ScreenTimes } from '../analysis/private-rows.ts';
import type { TimeBase, Snapshot } from '../database/snapshot.ts';
import { dataSpan } from '../database/timelines.ts';
import type { LocalRange } from '../database/model/activity.ts';
import { visibleShots } from '../screenshots/selection.ts';
import type { TakenShot } from '../screenshots/shot.ts';
import { undefinedIfUnreadable } from './screenshots.ts';
import type { QuerySources } from './sources.ts';

/** How much is hidden, without naming any of it. */
export interface Hidden {
  /** Rows: windows, and the pages, files and tags that are hidden with them or by their own names. */
  readonly activities: number;
  /** Active time of the hidden windows. */
  readonly seconds: number;
  readonly screenshots: number;
}

export const REPORTED_DAYS = 30;

/** What the rules hide in the last days with data; undefined without rules or data. */
export async function reportRules({ read, screenshots, rules }: QuerySources) {
  const single = (['exclude', 'redact'] as const).flatMap((effect) =>
    rules[effect].map((rule) => ({ effect, rule })),
  );
  if (single.length === 0) return undefined;
  const found = await read((snapshot) => {
    const range = reportedRange(snapshot);
    if (range === undefined) return undefined;
    const concealed = (redact: readonly Rule[]) =>
      concealedBy({ snapshot, range, rules: { exclude: [], redact } });
    return {
      range,
      timeBase: snapshot.timeBase,
      all: concealed(single.map(({ rule }) => rule)),
      each: single.map(({ rule }) => concealed([rule])),
    };
  });
  if (found === undefined) return undefined;
  const { range, timeBase, all, each } = found;
  // Health reports a folder that cannot be read. Errors lose their codes between threads.
  const taken = (await screenshots.shotsIn(range).catch(undefinedIfUnreadable)) ?? [];
  const together = hiddenShots(taken, all.screen, timeBase);
  return {
    /** What each rule hides if it were the only one. Rules can hide the same things. */
    rules: single.map(({ effect, rule }, index) => {
      const { activities = 0, seconds = 0, screen } = each[index] ?? {};
      const { matched } = hiddenShots(taken, screen, timeBase);
      return { effect, text: rule.text, activities, seconds, screenshots: matched };
    }),
    /** What all rules hide together. */
    all: {
      activities: all.activities + all.unattributed,
      seconds: all.seconds,
      screenshots: together.matched + together.unattributed,
    },
    /** What is hidden only because no known window covers it. */
    unattributed: { activities: all.unattributed, screenshots: together.unattributed },
  };
}

function reportedRange(snapshot: Snapshot): LocalRange | undefined {
  // Calendars and planned tags have rows in the future; windows have none.
  const end = dataSpan(snapshot, 'applications').end ?? dataSpan(snapshot).end;
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
        const tags = snapshot.tags.of(row);
        const texts = row.timeline.kind === 'tags' ? [tags.join(', ')] : [row.name, ...tags];
        const subjects = [groupSubjects(row), ...texts.map((text) => textSubjects(row, text))];
        for (const rule of unused) if (subjects.some((each) => matchesRule(rule, each))) unused.delete(rule);
      }
      if (unused.size === 0) break;
    }
    return Array.from(unused, ({ text }) => text);
  });
}

/** @param asked with rules that redact: redacted windows stay in the active time, so it can be added up */
function concealedBy(asked: Asked) {
  let seconds = 0;
  const each = (day: Day) => {
    for (const { start, end, activity } of day.atoms) {
      if (activity.isRedacted === true) seconds += end - start;
    }
  };
  const { concealed, unattributed, screen } = countRange(asked, [], { each });
  // Activities without the unattributed ones.
  return { activities: concealed - unattributed, unattributed, seconds, screen };
}

function hiddenShots(taken: readonly TakenShot[], screen: ScreenTimes | undefined, timeBase: TimeBase) {
  const { hidden, unattributed } = visibleShots(taken, screen, timeBase);
  return { matched: hidden - unattributed, unattributed };
}
