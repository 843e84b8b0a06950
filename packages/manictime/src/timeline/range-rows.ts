import type { Snapshot } from '../database/snapshot.ts';
import { withoutPrivate, withoutPrivateNames } from '../privacy/private-rows.ts';
import { hasRules, type PrivacyRules } from '../privacy/rules.ts';
import type { Interval } from '../time/intervals.ts';
import { DAY, startOfDay } from '../time/wall-clock.ts';
import type { TrackedRows } from './active-time.ts';
import type { Activity, LocalRange } from './activity.ts';
import { ofKind, type TimelineKind } from './timelines.ts';

/** What the tools tell of a range: whole rows, sorted by start, private ones left out or redacted. */
export interface RangeRows extends TrackedRows {
  readonly documents: readonly Activity[];
  readonly tags: readonly Activity[];
  /** Instants whose screenshots are private. */
  readonly hidden: readonly Interval[];
  /** How many Applications and ComputerUsage timelines there are. */
  readonly timelines: { readonly applications: number; readonly usage: number };
}

export interface Wanted {
  readonly documents?: boolean;
  readonly tags?: boolean;
  /** False where only times are needed, which is a good deal faster. Default true. */
  readonly titles?: boolean;
}

/**
 * Reads a range in one go. The computer's states are read for its whole days: whether a day was tracked must
 * not depend on the hours asked for.
 */
export function readRange(
  snapshot: Snapshot,
  range: LocalRange,
  rules: PrivacyRules,
  { documents = false, tags = false, titles = true }: Wanted = {},
): RangeRows {
  const kinds: TimelineKind[] = ['applications', 'usage'];
  // What is private may show in a document's name alone.
  if (documents || hasRules(rules)) kinds.push('documents', 'urls');
  if (tags) kinds.push('tags');
  const timelines = ofKind(snapshot.timelines, ...kinds);
  const usageTimelines = ofKind(timelines, 'usage');
  // A state may be told by its row alone.
  const usageIds = usageTimelines.map(({ reportId }) => reportId);
  const days = { from: startOfDay(range.from), to: startOfDay(range.to + DAY - 1) };
  const rows = snapshot.activities(timelines, days, titles || hasRules(rules) ? 'all' : usageIds);
  const inRange = rows.filter(({ localStart, localEnd }) => localStart < range.to && localEnd > range.from);
  const screen = withoutPrivate(
    { applications: rowsOf(inRange, 'applications'), documents: rowsOf(inRange, 'documents', 'urls') },
    rules,
  );
  return {
    ...screen,
    usage: rowsOf(rows, 'usage'),
    tags: withoutPrivateNames(rowsOf(inRange, 'tags'), rules),
    trackedDevices: new Set(
      usageTimelines.map(({ environment }) => environment).filter((device) => device !== undefined),
    ),
    timelines: { applications: ofKind(timelines, 'applications').length, usage: usageTimelines.length },
  };
}

function rowsOf(activities: readonly Activity[], ...kinds: readonly TimelineKind[]): Activity[] {
  return activities.filter(({ timeline }) => kinds.includes(timeline.kind));
}
