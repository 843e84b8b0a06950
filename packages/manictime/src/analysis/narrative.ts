import type { WallTime } from '@deskside/core/dates';
import { noCommonGroups, noTagsTimeline } from '../database/model/notes.ts';
import type { Atom } from './atoms.ts';
import { fitSegments, type FittingOptions } from './coarsening.ts';
import type { Asked, Day } from './days.ts';
import { largestFirst, Sums } from './group.ts';
import { headlineSums, headlineText } from './headline.ts';
import { itemKey } from './keys.ts';
import { countRange } from './range.ts';
import { segmentsOf } from './segments.ts';

export interface NarrativeOptions extends FittingOptions {
  readonly includeWebsites: boolean;
  readonly minDurationSeconds: number;
  readonly includeSegments: boolean;
  readonly includeSummary: boolean;
  /** Of segments and top lists as JSON. */
  readonly maxBytes: number;
  readonly maxTopItems: number;
}

/** Segments, totals and top lists of a range. */
export function buildNarrative(asked: Asked, options: NarrativeOptions) {
  const { snapshot, range } = asked;
  const { includeSegments, includeSummary, includeWebsites, maxTopItems } = options;
  const listsWebsites = includeSummary && includeWebsites;
  const atoms: Atom[] = [];
  const applications = new Sums({ by: [itemKey('applications')] });
  const websites = new Sums({ by: [itemKey('websites')] });
  const whole = headlineSums();
  let recordedUntil: WallTime | undefined;
  const each = (day: Day) => {
    for (const { localEnd } of [...day.applications, ...day.usage])
      recordedUntil = Math.max(localEnd, recordedUntil ?? localEnd);
    if (includeSegments) for (const atom of day.atoms) atoms.push(atom);
  };
  const sums = [applications, whole, ...(listsWebsites ? [websites] : [])];
  const facts = countRange(asked, sums, { each });
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
    /** Of the range, independent of filters. Days without activities count with ManicTime's own totals. */
    totalSeconds: facts.seconds + facts.storedSeconds,
    segments,
    /** Number of segments after the filter, before any was joined or cut. */
    segmentCount: count,
    /** Names the limit for joined ones; undefined if none was joined. */
    coarsened: note,
    headline: headlineText(range, whole, used, facts),
    /** Local end of the last row of the range. */
    recordedUntil,
    topApplications,
    topWebsites,
    omittedApplications: includeSummary ? used.length - topApplications.length : 0,
    omittedWebsites: visited.length - topWebsites.length,
    notes: facts.notes(
      [
        !snapshot.layout.has('Ar_CommonGroup') && noCommonGroups,
        !snapshot.tags.exist(snapshot.timelines) && noTagsTimeline,
      ],
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
