import type { Note } from './note.ts';
import type { Snapshot } from '../database/snapshot.ts';
import { formatDate } from '../time/wall-clock.ts';
import type { LocalRange } from './activity.ts';
import { dataSpan } from './data-span.ts';

export const noApplicationsTimeline: Note = {
  degraded: true,
  reasonCode: 'NoApplicationsTimeline',
  remediationHint:
    'The database has no Applications timeline. Check in ManicTime that application tracking is switched on.',
};

export const noUsageTimeline: Note = {
  degraded: true,
  reasonCode: 'NoComputerUsageTimeline',
  remediationHint:
    'Away and locked time cannot be told from active time, and counts. Check that ManicTime tracks computer usage.',
};

export const unknownUsageStates: Note = {
  degraded: true,
  reasonCode: 'UnknownUsageStates',
  remediationHint:
    'Computer usage has states with names that are not known (translated or renamed): days that have no other states are not cut to active time.',
};

export const computedFromActivities: Note = {
  degraded: true,
  reasonCode: 'FallbackComputation',
  remediationHint:
    "ManicTime's own sums are missing from the database; single activities were added up instead. Update ManicTime if answers are slow.",
};

export const noCommonGroups: Note = {
  degraded: true,
  reasonCode: 'NoCommonGroup',
  remediationHint: 'The database has no shared groups: names and colours are those of each timeline.',
};

export const noTagsTimeline: Note = {
  degraded: true,
  reasonCode: 'NoTagsTimeline',
  remediationHint:
    'The database has no Tags timeline. The person can tag time in ManicTime, by hand or by rules.',
};

/** Why a range is empty. */
export function whyEmpty(snapshot: Snapshot, { from, to }: LocalRange): Note {
  const { start, end } = dataSpan(snapshot);
  if (start === undefined || end === undefined) {
    return {
      degraded: false,
      reasonCode: 'NoDataAtAll',
      remediationHint: 'The database holds no activities yet. Check that ManicTime is running and tracking.',
    };
  }
  const known = `Data reaches from ${formatDate(start)} to ${formatDate(end)}.`;
  if (to <= start) return { degraded: false, reasonCode: 'RangeBeforeFirstData', remediationHint: known };
  if (from >= end) return { degraded: false, reasonCode: 'RangeAfterLastData', remediationHint: known };
  return {
    degraded: false,
    reasonCode: 'NoDataInRange',
    remediationHint: `${known} Nothing was tracked in this range: the computer was off, away, or ManicTime not running.`,
  };
}
