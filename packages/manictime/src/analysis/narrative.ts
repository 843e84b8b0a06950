import type { WallTime } from '@deskside/core/dates';
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
import { SegmentFitter } from './coarsening.ts';
import { RangeFacts, readDays } from './days.ts';
import { Headline } from './headline.ts';
import type { PrivacyRules } from './privacy.ts';
import { joinedScreenTimes, type ScreenTimes } from './private-rows.ts';
import { type Segment, SegmentMerger } from './segments.ts';
import { totalsOf, UsageCounter, type UsageTotal } from './usage.ts';

export interface NarrativeOptions {
  readonly includeWebsites: boolean;
  readonly minDurationSeconds: number;
  readonly maxGapSeconds: number;
  readonly includeSegments: boolean;
  readonly includeSummary: boolean;
  readonly maxSegments: number;
  /** Of segments and top lists as JSON. */
  readonly maxBytes: number;
  readonly maxTopItems: number;
}

export interface Narrative {
  /** Total of the range, independent of filters. Days without activities count with ManicTime's own totals. */
  readonly totalSeconds: number;
  /** At most `maxSegments`, from the start of the range to its end. */
  readonly segments: readonly Segment[];
  /** Number of segments after the filter, before any was joined with others to fit. */
  readonly segmentCount: number;
  /** Names the limit for this; undefined if none was joined. */
  readonly coarsened: DiagnosticNote | undefined;
  readonly topApplications: readonly UsageTotal[];
  readonly topWebsites: readonly UsageTotal[];
  /** How many items the top lists leave out. */
  readonly omittedApplications: number;
  readonly omittedWebsites: number;
  /** The range in one sentence; undefined without active time. */
  readonly headline: string | undefined;
  /** Local end of the last row of the range. */
  readonly recordedUntil: WallTime | undefined;
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
  const fitter = new SegmentFitter(options.maxSegments, options.maxGapSeconds);
  const merger = new SegmentMerger(options.maxGapSeconds, (segment) => {
    if (segment.seconds >= options.minDurationSeconds) fitter.add(segment);
  });
  const counted = { snapshot, range, grain: 'range', rules } as const;
  const applications = new UsageCounter({ ...counted, subject: 'applications' });
  const websites =
    includeSummary && includeWebsites ? new UsageCounter({ ...counted, subject: 'websites' }) : undefined;
  const screens: (ScreenTimes | undefined)[] = [];
  const headline = new Headline();
  let recordedUntil: WallTime | undefined;
  for (const day of readDays(snapshot, range, rules)) {
    facts.add(day);
    screens.push(day.screen);
    for (const { localEnd } of [...day.applications, ...day.usage])
      recordedUntil = Math.max(localEnd, recordedUntil ?? localEnd);
    headline.add(day);
    applications.add(day);
    websites?.add(day);
    if (includeSegments) for (const atom of day.atoms) merger.add(atom);
  }
  merger.finish();
  const used = applications.finish();
  const visited = websites?.finish();
  const totals = totalsOf(used.rows);
  const topApplications = includeSummary ? totals.slice(0, options.maxTopItems) : [];
  const websiteTotals = totalsOf(visited?.rows ?? []);
  const topWebsites = websiteTotals.slice(0, options.maxTopItems);
  const expiredSeconds = used.stored.reduce((sum, { seconds }) => sum + seconds, 0);
  const sumsMissing = includeSummary && (used.sumsMissing || visited?.sumsMissing === true);
  headline.addStored(used.stored);
  const lists = [...topApplications, ...topWebsites].map(({ item }) => item.name);
  const { segments, count, note } = fitter.finish(options.maxBytes - topBytesOf(lists));

  return {
    totalSeconds: facts.seconds + expiredSeconds,
    segments,
    segmentCount: count,
    coarsened: note,
    headline: headline.text(range, totals),
    recordedUntil,
    topApplications,
    topWebsites,
    omittedApplications: includeSummary ? totals.length - topApplications.length : 0,
    omittedWebsites: websiteTotals.length - topWebsites.length,
    notes: [
      ...facts.trackingNotes(),
      ...(used.stored.length > 0 ? [aggregatesUsed(used.expiredDays)] : []),
      ...(sumsMissing ? [computedFromActivities] : []),
      ...(snapshot.layout.has('Ar_CommonGroup') ? [] : [noCommonGroups]),
      ...(hasTags(snapshot) ? [] : [noTagsTimeline]),
      ...facts.privacyNotes(rules),
      ...(facts.seconds === 0 && expiredSeconds === 0 ? [facts.emptyNote()] : []),
    ],
    screen: joinedScreenTimes(screens),
    concealed: facts.concealed,
  };
}

/** Keys, color and minutes of an item of a top list as JSON. */
const TOP_ITEM_BYTES = 55;

function topBytesOf(names: readonly string[]): number {
  return names.length * TOP_ITEM_BYTES + Buffer.byteLength(JSON.stringify(names));
}
