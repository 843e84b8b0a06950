import type { Note } from '../timeline/note.ts';
import type { Snapshot } from '../database/snapshot.ts';
import type { PrivacyRules } from '../privacy/rules.ts';
import { type Interval, totalSeconds } from '../time/intervals.ts';
import { DAY } from '../time/wall-clock.ts';
import { activeTime } from '../timeline/active-time.ts';
import type { LocalRange } from '../timeline/activity.ts';
import { type RangeRows, readRange } from '../timeline/range-rows.ts';
import { daysWithout, expiredDays, onlySumsLeft } from '../usage/expired-days.ts';
import { readUsage } from '../usage/read-usage.ts';
import { totalsOf, type UsageTotal } from '../usage/usage.ts';
import {
  computedFromActivities,
  noApplicationsTimeline,
  noCommonGroups,
  noTagsTimeline,
  noUsageTimeline,
  unknownUsageStates,
  whyEmpty,
} from '../timeline/notes.ts';
import { seenIn } from './seen.ts';
import { longestOf, merge, type Segment, segmentsOf } from './segments.ts';
import { hasTags, tagNames, tagsOf } from './tags.ts';

export interface NarrativeOptions {
  readonly includeWebsites: boolean;
  /** Seconds. */
  readonly minDuration: number;
  /** Seconds. */
  readonly maxGap: number;
  readonly includeSegments: boolean;
  readonly includeSummary: boolean;
  readonly maxSegments: number;
}

export interface ToldSegment extends Segment {
  readonly website: string | undefined;
  readonly document: string | undefined;
  readonly tags: readonly string[];
}

export interface Narrative {
  /** Of the range, whatever was filtered; of days without activities what ManicTime's own sums say. */
  readonly totalSeconds: number;
  /** No more than asked for. */
  readonly segments: readonly ToldSegment[];
  /** Before the cap, after the filter. */
  readonly segmentCount: number;
  readonly topApplications: readonly UsageTotal[];
  readonly topWebsites: readonly UsageTotal[];
  readonly notes: readonly Note[];
  /** Instants whose screenshots are private. */
  readonly hidden: readonly Interval[];
}

/** What happened in a range: one pass over its sorted rows. */
export function tellNarrative(
  snapshot: Snapshot,
  range: LocalRange,
  rules: PrivacyRules,
  options: NarrativeOptions,
): Narrative {
  const rows = readRange(snapshot, range, rules, { documents: true, tags: true });
  const { pieces, unknownStates } = activeTime(rows, range);
  const all = options.includeSegments
    ? merge(segmentsOf(pieces, seenIn(pieces, rows.documents)), options.maxGap).filter(
        ({ seconds }) => seconds >= options.minDuration,
      )
    : [];
  const { expiredSeconds, ...summary } = summaryOf(snapshot, range, rules, rows, options);
  return {
    totalSeconds: totalSeconds(pieces) + expiredSeconds,
    segments: told(snapshot, all.slice(0, options.maxSegments), rows, options.includeWebsites),
    segmentCount: all.length,
    ...summary,
    notes: [
      ...(rows.timelines.applications === 0 ? [noApplicationsTimeline] : []),
      ...(unknownStates ? [unknownUsageStates] : []),
      ...(rows.timelines.usage === 0 && pieces.length > 0 ? [noUsageTimeline] : []),
      ...summary.notes,
      ...(snapshot.layout.has('Ar_CommonGroup') ? [] : [noCommonGroups]),
      ...(hasTags(snapshot) ? [] : [noTagsTimeline]),
      ...(pieces.length === 0 && expiredSeconds === 0 ? [whyEmpty(snapshot, range)] : []),
    ],
    hidden: rows.hidden,
  };
}

function told(
  snapshot: Snapshot,
  segments: readonly Segment[],
  rows: RangeRows,
  includeWebsites: boolean,
): ToldSegment[] {
  const { attachedTags, listedTags } = snapshot;
  const tagRows = rows.tags.map((row) => ({ ...row, tags: tagNames(row, listedTags) }));
  const tags = tagsOf(segments, tagRows, attachedTags);
  return segments.map((segment, index) => ({
    ...segment,
    website: includeWebsites ? longestOf(segment.websites) : undefined,
    document: longestOf(segment.documents),
    tags: tags[index] ?? [],
  }));
}

function summaryOf(
  snapshot: Snapshot,
  range: LocalRange,
  rules: PrivacyRules,
  rows: RangeRows,
  { includeSummary, includeWebsites }: NarrativeOptions,
): Pick<Narrative, 'topApplications' | 'topWebsites' | 'notes'> & { readonly expiredSeconds: number } {
  const empty = daysWithout(rows.applications, range);
  const applications =
    includeSummary || empty.size > 0
      ? readUsage(snapshot, 'applications', range, DAY, rules, rows)
      : undefined;
  const websites =
    includeSummary && includeWebsites ? readUsage(snapshot, 'websites', range, DAY, rules, rows) : undefined;
  const expired = [...expiredDays(applications?.rows ?? [], empty).values()].flat();
  const lacksSums = includeSummary && (applications?.lacksSums === true || websites?.lacksSums === true);
  return {
    topApplications: includeSummary ? totalsOf(applications?.rows ?? []) : [],
    topWebsites: totalsOf(websites?.rows ?? []),
    expiredSeconds: expired.reduce((sum, { seconds }) => sum + seconds, 0),
    notes: [...(expired.length > 0 ? [onlySumsLeft] : []), ...(lacksSums ? [computedFromActivities] : [])],
  };
}
