import type { WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import type { Snapshot } from '../database/snapshot.ts';
import { hasTags } from '../database/tags.ts';
import type { LocalRange } from '../database/model/activity.ts';
import { noCommonGroups, noTagsTimeline } from '../database/model/notes.ts';
import type { Atom } from './atoms.ts';
import { fitSegments } from './coarsening.ts';
import type { Day } from './days.ts';
import { type ItemTotal, largestFirst, Sums } from './group.ts';
import { headlineSums, headlineText } from './headline.ts';
import { itemKey } from './keys.ts';
import type { PrivacyRules } from './privacy.ts';
import type { ScreenTimes } from './private-rows.ts';
import { group } from './range.ts';
import { type Segment, segmentsOf } from './segments.ts';

export interface NarrativeOptions {
  readonly includeWebsites: boolean;
  readonly minDurationSeconds: number;
  readonly maxGapSeconds: number;
  readonly includeSegments: boolean;
  readonly includeSummary: boolean;
  readonly maxSegments: number;
  /** Whether short visits are joined until the segments fit; else the list is cut. */
  readonly joins: boolean;
  /** Of segments and top lists as JSON. */
  readonly maxBytes: number;
  readonly maxTopItems: number;
}

export interface Narrative {
  /** Total of the range, independent of filters. Days without activities count with ManicTime's own totals. */
  readonly totalSeconds: number;
  /** At most `maxSegments`. */
  readonly segments: readonly Segment[];
  /** Number of segments after the filter, before any was joined or cut. */
  readonly segmentCount: number;
  /** Names the limit for joined ones; undefined if none was joined. */
  readonly coarsened: DiagnosticNote | undefined;
  readonly topApplications: readonly ItemTotal[];
  readonly topWebsites: readonly ItemTotal[];
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
  const { includeSegments, includeSummary, includeWebsites, maxTopItems } = options;
  const listsWebsites = includeSummary && includeWebsites;
  const atoms: Atom[] = [];
  const applications = new Sums<Atom>({ by: [itemKey('applications')] });
  const websites = new Sums<Atom>({ by: [itemKey('websites')] });
  const whole = headlineSums();
  let recordedUntil: WallTime | undefined;
  const each = (day: Day) => {
    for (const { localEnd } of [...day.applications, ...day.usage])
      recordedUntil = Math.max(localEnd, recordedUntil ?? localEnd);
    if (includeSegments) for (const atom of day.atoms) atoms.push(atom);
  };
  const sums = [applications, whole, ...(listsWebsites ? [websites] : [])];
  const facts = group({ snapshot, range, rules }, sums, { each });
  const used = largestFirst(applications.total.parts());
  const visited = listsWebsites ? largestFirst(websites.total.parts()) : [];
  const topApplications = includeSummary ? used.slice(0, maxTopItems) : [];
  const topWebsites = visited.slice(0, maxTopItems);
  const lists = [...topApplications, ...topWebsites].map(({ item }) => item.name);
  const wanted = segmentsOf(atoms, options.maxGapSeconds).filter(
    ({ ownSeconds }) => ownSeconds >= options.minDurationSeconds,
  );
  const { segments, count, note } = fitSegments(wanted, options, options.maxBytes - topBytesOf(lists));

  return {
    totalSeconds: facts.seconds + facts.storedSeconds,
    segments,
    segmentCount: count,
    coarsened: note,
    headline: headlineText(range, whole, used, facts),
    recordedUntil,
    topApplications,
    topWebsites,
    omittedApplications: includeSummary ? used.length - topApplications.length : 0,
    omittedWebsites: visited.length - topWebsites.length,
    notes: facts.notes(
      [!snapshot.layout.has('Ar_CommonGroup') && noCommonGroups, !hasTags(snapshot) && noTagsTimeline],
      undefined,
      includeSummary,
    ),
    screen: facts.screen,
    concealed: facts.concealed,
  };
}

/** Keys, color and minutes of an item of a top list as JSON. */
const TOP_ITEM_BYTES = 55;

function topBytesOf(names: readonly string[]): number {
  return names.length * TOP_ITEM_BYTES + Buffer.byteLength(JSON.stringify(names));
}
