import { DAY } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import type { Snapshot } from '../database/snapshot.ts';
import { hasTags, tagNames } from '../database/tags.ts';
import type { LocalRange } from '../model/activity.ts';
import { totalSeconds } from '../model/interval.ts';
import {
  aggregatesUsed,
  computedFromActivities,
  noApplicationsTimeline,
  noCommonGroups,
  noTagsTimeline,
  notYetAttributable,
  noUsageTimeline,
  unknownUsageStates,
} from '../model/notes.ts';
import { activeTime } from './active-time.ts';
import { attributeDocuments } from './attribution.ts';
import { permittedTexts, type PrivacyRules, type ScreenTimes } from './privacy.ts';
import { emptyAnswerNote, loadRange, type RangeRows } from './range.ts';
import { longestOf, merge, type Segment, segmentsOf, tagsOf } from './segments.ts';
import { daysWithoutActivities, type LoadedRange, readUsage, totalsOf, type UsageTotal } from './usage.ts';

export interface NarrativeOptions {
  readonly includeWebsites: boolean;
  readonly minDurationSeconds: number;
  readonly maxGapSeconds: number;
  readonly includeSegments: boolean;
  readonly includeSummary: boolean;
  readonly maxSegments: number;
}

export interface NarrativeSegment extends Segment {
  readonly website: string | undefined;
  readonly document: string | undefined;
  readonly tags: readonly string[];
}

export interface Narrative {
  /** Total of the range, independent of filters. Days without activities count with ManicTime's own totals. */
  readonly totalSeconds: number;
  /** At most `maxSegments`. */
  readonly segments: readonly NarrativeSegment[];
  /** Number of segments after the filter, before the cap. */
  readonly segmentCount: number;
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
  const rows = loadRange(snapshot, range, rules, { documents: true, tags: true });
  const { pieces, unknownStates } = activeTime(rows, range);
  const all = options.includeSegments
    ? merge(segmentsOf(pieces, attributeDocuments(pieces, rows.documents)), options.maxGapSeconds).filter(
        ({ seconds }) => seconds >= options.minDurationSeconds,
      )
    : [];
  const { expiredSeconds, ...summary } = summaryOf(snapshot, range, rules, { rows, pieces }, options);
  return {
    totalSeconds: totalSeconds(pieces) + expiredSeconds,
    segments: describeSegments(snapshot, all.slice(0, options.maxSegments), rows, rules, options),
    segmentCount: all.length,
    ...summary,
    notes: [
      ...(rows.timelines.applications === 0 ? [noApplicationsTimeline] : []),
      ...(unknownStates ? [unknownUsageStates] : []),
      ...(rows.timelines.usage === 0 && pieces.length > 0 ? [noUsageTimeline] : []),
      ...summary.notes,
      ...(snapshot.layout.has('Ar_CommonGroup') ? [] : [noCommonGroups]),
      ...(hasTags(snapshot) ? [] : [noTagsTimeline]),
      ...(rows.unattributed.length > 0 ? [notYetAttributable] : []),
      ...(pieces.length === 0 && expiredSeconds === 0 ? [emptyAnswerNote(snapshot, range, rows)] : []),
    ],
    screen: rows.screen,
    concealed: rows.concealed.length,
  };
}

function describeSegments(
  snapshot: Snapshot,
  segments: readonly Segment[],
  rows: RangeRows,
  rules: PrivacyRules,
  { includeWebsites }: NarrativeOptions,
): NarrativeSegment[] {
  const { attachedTags, listedTags } = snapshot;
  const tagRows = rows.tags.map((row) => ({ ...row, tags: tagNames(row, listedTags) }));
  const tags = tagsOf(segments, tagRows, attachedTags);
  return segments.map((segment, index) => ({
    ...segment,
    website: includeWebsites ? longestOf(segment.websites) : undefined,
    document: longestOf(segment.documents),
    tags: permittedTexts(tags[index] ?? [], rules),
  }));
}

function summaryOf(
  snapshot: Snapshot,
  range: LocalRange,
  rules: PrivacyRules,
  loaded: LoadedRange,
  { includeSummary, includeWebsites }: NarrativeOptions,
): Pick<Narrative, 'topApplications' | 'topWebsites' | 'notes'> & { readonly expiredSeconds: number } {
  const emptyDays = daysWithoutActivities(loaded.rows.recordedDays, range);
  const applications =
    includeSummary || emptyDays.size > 0
      ? readUsage(snapshot, 'applications', range, DAY, rules, loaded)
      : undefined;
  const websites =
    includeSummary && includeWebsites
      ? readUsage(snapshot, 'websites', range, DAY, rules, loaded)
      : undefined;
  const expired = (applications?.rows ?? []).filter(({ period }) => emptyDays.has(period));
  const sumsMissing =
    includeSummary && (applications?.sumsMissing === true || websites?.sumsMissing === true);
  return {
    topApplications: includeSummary ? totalsOf(applications?.rows ?? []) : [],
    topWebsites: totalsOf(websites?.rows ?? []),
    expiredSeconds: expired.reduce((sum, { seconds }) => sum + seconds, 0),
    notes: [
      ...(expired.length > 0 ? [aggregatesUsed(applications?.expiredDays ?? [])] : []),
      ...(sumsMissing ? [computedFromActivities] : []),
    ],
  };
}
