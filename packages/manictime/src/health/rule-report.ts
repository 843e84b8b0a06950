import { DAY, startOfDay } from '@deskside/core/dates';
import { hasRules, isMatch, type PrivacyRules, type Rule } from '../analysis/privacy.ts';
import { loadRange } from '../analysis/range.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { tagNames } from '../database/tags.ts';
import { dataSpan } from '../database/timelines.ts';
import { type LocalRange, ofKind } from '../model/activity.ts';
import type { ScreenshotSources } from '../screenshots/delivery.ts';
import { visibleShots } from '../screenshots/selection.ts';

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
  database,
  screenshots,
  privacy,
}: ScreenshotSources): Promise<RuleReport | undefined> {
  if (!hasRules(privacy)) return undefined;
  const found = await database.read((snapshot) => {
    const { end } = dataSpan(snapshot);
    if (end === undefined) return undefined;
    const to = startOfDay(end + DAY - 1);
    const range = { from: to - REPORTED_DAYS * DAY, to };
    const { screen, concealed } = loadRange(snapshot, range, privacy, { documents: true, tags: true });
    return {
      range,
      screen,
      concealed: concealed.length,
      clock: snapshot.clock,
      matches: matchesByRule(snapshot, range, privacy),
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
  const rows = snapshot.activities(timelines, range).map((row) => {
    const title = row.timeline.kind === 'tags' ? tagNames(row, snapshot.listedTags).join(', ') : undefined;
    return [row, title] as const;
  });
  const counted = (effect: 'exclude' | 'redact') => (rule: Rule) => ({
    effect,
    text: rule.text,
    matches: rows.filter(([row, title]) => isMatch(rule, row, title)).length,
  });
  return [...exclude.map(counted('exclude')), ...redact.map(counted('redact'))];
}
