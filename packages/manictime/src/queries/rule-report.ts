import { DAY, startOfDay } from '@deskside/core/dates';
import { RangeFacts, readDays } from '../analysis/days.ts';
import { hasRules, isMatch, type PrivacyRules, ScreenTimesUnion } from '../analysis/privacy.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { tagNames } from '../database/tags.ts';
import { dataSpan } from '../database/timelines.ts';
import { type LocalRange, ofKind } from '../database/model/activity.ts';
import { visibleShots } from '../screenshots/selection.ts';
import type { QuerySources } from './sources.ts';

export interface RuleReport {
  /** The rules with the number of rows that each matches itself. */
  readonly rules: readonly {
    readonly effect: 'exclude' | 'redact';
    readonly text: string;
    readonly matches: number;
  }[];
  /** What all rules together hide, with the windows of private pages and the pages of private windows. */
  readonly activities: number;
  readonly screenshots: number;
}

export const REPORTED_DAYS = 30;

/** What the rules hide in the last days with data; undefined without rules or data. */
export async function reportRules({
  read,
  screenshots,
  rules,
}: QuerySources): Promise<RuleReport | undefined> {
  if (!hasRules(rules)) return undefined;
  const found = await read((snapshot) => {
    const { end } = dataSpan(snapshot);
    if (end === undefined) return undefined;
    const to = startOfDay(end + DAY - 1);
    const range = { from: to - REPORTED_DAYS * DAY, to };
    const facts = new RangeFacts(snapshot, range);
    const screen = new ScreenTimesUnion(rules);
    for (const day of readDays(snapshot, range, rules, { documents: true, tags: true })) {
      facts.add(day);
      screen.add(day.screen);
    }
    return {
      range,
      screen: screen.finish(),
      concealed: facts.concealed,
      clock: snapshot.clock,
      matches: matchesByRule(snapshot, range, rules),
    };
  });
  if (found === undefined) return undefined;
  const { range, screen, concealed, clock, matches } = found;
  const { hidden } = visibleShots(await screenshots.shotsIn(range), screen, clock);
  return { rules: matches, activities: concealed, screenshots: hidden };
}

function matchesByRule(
  snapshot: Snapshot,
  range: LocalRange,
  { exclude, redact }: PrivacyRules,
): RuleReport['rules'] {
  const timelines = ofKind(snapshot.timelines, 'applications', 'documents', 'urls', 'tags');
  const counts = [
    ...exclude.map((rule) => ({ effect: 'exclude' as const, rule, matches: 0 })),
    ...redact.map((rule) => ({ effect: 'redact' as const, rule, matches: 0 })),
  ];
  for (const { activities } of snapshot.batches(timelines, range)) {
    for (const row of activities) {
      const title = row.timeline.kind === 'tags' ? tagNames(row, snapshot.listedTags).join(', ') : undefined;
      for (const count of counts) if (isMatch(count.rule, row, title)) count.matches += 1;
    }
  }
  return counts.map(({ effect, rule, matches }) => ({ effect, text: rule.text, matches }));
}
