import type { DiagnosticNote } from '@deskside/core/errors';
import type { Snapshot } from '../database/snapshot.ts';
import { hasTags } from '../database/tags.ts';
import type { LocalRange } from '../database/model/activity.ts';
import {
  aggregatesUsed,
  computedFromActivities,
  noCommonGroups,
  noTagsTimeline,
} from '../database/model/notes.ts';
import { RangeFacts, readDays } from './days.ts';
import type { PrivacyRules } from './privacy.ts';
import { type ScreenTimes, ScreenTimesUnion } from './private-rows.ts';
import { type Segment, SegmentMerger } from './segments.ts';
import { totalsOf, UsageCounter, type UsageTotal } from './usage.ts';

export interface NarrativeOptions {
  readonly includeWebsites: boolean;
  readonly minDurationSeconds: number;
  readonly maxGapSeconds: number;
  readonly includeSegments: boolean;
  readonly includeSummary: boolean;
  readonly maxSegments: number;
}

export interface Narrative {
  /** Total of the range, independent of filters. Days without activities count with ManicTime's own totals. */
  readonly totalSeconds: number;
  /** At most `maxSegments`. */
  readonly segments: readonly Segment[];
  /** Number of segments after the filter, before the cap. */
  readonly segmentCount: number;
  /** Start of the first segment after the cap. */
  readonly nextStart: number | undefined;
  readonly topApplications: readonly UsageTotal[];
  readonly topWebsites: readonly UsageTotal[];
  readonly notes: readonly DiagnosticNote[];
  /** When screenshots may be shown; undefined without rules. */
  readonly screen: ScreenTimes | undefined;
  /** How many rows of the range the rules conceal. */
  readonly concealed: number;
}

/** Segments, totals and top lists of a range. */
export function buildNarrative(
  snapshot: Snapshot,
  range: LocalRange,
  rules: PrivacyRules,
  options: NarrativeOptions,
): Narrative {
  const { includeSegments, includeSummary, includeWebsites } = options;
  const facts = new RangeFacts(snapshot, range);
  const segments = new SegmentList(options);
  const merger = new SegmentMerger(options.maxGapSeconds, (segment) => segments.add(segment));
  const applications = new UsageCounter(snapshot, 'applications', range, 'range', rules);
  const websites = new UsageCounter(snapshot, 'websites', range, 'range', rules);
  const screen = new ScreenTimesUnion(rules);
  for (const day of readDays(snapshot, range, rules, { documents: true, tags: includeSegments })) {
    facts.add(day);
    screen.add(day.screen);
    applications.add(day);
    if (includeSummary && includeWebsites) websites.add(day);
    if (includeSegments) for (const atom of day.atoms) merger.add(atom);
  }
  merger.finish();
  const summary = summaryOf(applications, websites, options);
  return {
    totalSeconds: facts.seconds + summary.expiredSeconds,
    segments: includeWebsites
      ? segments.kept
      : segments.kept.map((segment) => ({ ...segment, website: undefined })),
    segmentCount: segments.count,
    nextStart: segments.nextStart,
    topApplications: summary.topApplications,
    topWebsites: summary.topWebsites,
    notes: [
      ...facts.trackingNotes(),
      ...summary.notes,
      ...(snapshot.layout.has('Ar_CommonGroup') ? [] : [noCommonGroups]),
      ...(hasTags(snapshot) ? [] : [noTagsTimeline]),
      ...facts.privacyNotes(),
      ...(facts.seconds === 0 && summary.expiredSeconds === 0 ? [facts.emptyNote()] : []),
    ],
    screen: screen.finish(),
    concealed: facts.concealed,
  };
}

/** Keeps the first segments, and counts the others. */
class SegmentList {
  readonly kept: Segment[] = [];
  readonly #options: NarrativeOptions;
  count = 0;
  nextStart: number | undefined;

  constructor(options: NarrativeOptions) {
    this.#options = options;
  }

  add(segment: Segment): void {
    if (segment.seconds < this.#options.minDurationSeconds) return;
    this.count += 1;
    if (this.kept.length < this.#options.maxSegments) this.kept.push(segment);
    else this.nextStart ??= segment.localStart;
  }
}

function summaryOf(
  applications: UsageCounter,
  websites: UsageCounter,
  { includeSummary, includeWebsites }: NarrativeOptions,
): Pick<Narrative, 'topApplications' | 'topWebsites' | 'notes'> & { readonly expiredSeconds: number } {
  const used = applications.finish();
  const visited = includeSummary && includeWebsites ? websites.finish() : undefined;
  const sumsMissing = includeSummary && (used.sumsMissing || visited?.sumsMissing === true);
  return {
    topApplications: includeSummary ? totalsOf(used.rows) : [],
    topWebsites: totalsOf(visited?.rows ?? []),
    expiredSeconds: used.stored.reduce((sum, { seconds }) => sum + seconds, 0),
    notes: [
      ...(used.stored.length > 0 ? [aggregatesUsed(used.expiredDays)] : []),
      ...(sumsMissing ? [computedFromActivities] : []),
    ],
  };
}
