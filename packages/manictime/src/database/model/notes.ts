import { DAY, formatDate, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';

/** Says that something is missing. */
export function degraded(reasonCode: string, remediationHint: string): DiagnosticNote {
  return { degraded: true, reasonCode, remediationHint };
}

/** Says why an answer that misses nothing is empty or short. */
export function explained(reasonCode: string, remediationHint: string): DiagnosticNote {
  return { degraded: false, reasonCode, remediationHint };
}

export const noApplicationsTimeline = degraded(
  'NoApplicationsTimeline',
  'The database has no Applications timeline. Check in ManicTime that application tracking is switched on.',
);

export const noUsageTimeline = degraded(
  'NoComputerUsageTimeline',
  'The database has no ComputerUsage timeline, so away and locked time counts as active. Check that ManicTime tracks computer usage.',
);

export const unknownUsageStates = degraded(
  'UnknownUsageStates',
  'Some computer usage states have unknown names (translated or renamed). On days with only such states, idle time is not subtracted.',
);

export const computedFromActivities = degraded(
  'FallbackComputation',
  "ManicTime's own totals are missing from the database; this answer is computed from single activities. Update ManicTime if answers are slow.",
);

/** @param days sorted */
export function aggregatesUsed(days: readonly WallTime[]): DiagnosticNote {
  return degraded(
    'AggregatesUsed',
    `Only ManicTime's own totals are left of ${daysText(days)}. They may include time away; segments, first activity and last activity are unknown.`,
  );
}

/** @param days sorted */
export function aggregatesLeftOut(days: readonly WallTime[]): DiagnosticNote {
  return degraded(
    'AggregatesLeftOut',
    `Only ManicTime's own totals are left of ${daysText(days)}. They have no titles, tags, states or hours, and nothing can be removed from them while privacy rules exist, so that this answer leaves these days out. Group by application, day, week or month without filters and rules to count them.`,
  );
}

/** `2026-10-20 to 2026-10-22, 2026-10-25` */
function daysText(days: readonly WallTime[]): string {
  const spans: { readonly first: WallTime; last: WallTime }[] = [];
  for (const day of days) {
    const span = spans.at(-1);
    if (span?.last === day - DAY) span.last = day;
    else spans.push({ first: day, last: day });
  }
  return spans
    .map(({ first, last }) =>
      first === last ? formatDate(first) : `${formatDate(first)} to ${formatDate(last)}`,
    )
    .join(', ');
}

export const notActive = explained(
  'NotActive',
  'Windows were open in this range, but the computer was away, locked or off, so none of it is active time.',
);

export const onlyOtherRows = explained(
  'NoDataInRange',
  'Applications were used in this range, but this timeline has no rows in it.',
);

export const notTagged = explained(
  'NotTagged',
  'Activities were tracked in this range, but none of them has a tag.',
);

export const activitiesPrivate = explained(
  'ActivitiesPrivate',
  'The privacy rules of the person (MANICTIME_EXCLUDE, MANICTIME_REDACT) hide all activities of this range.',
);

export const notYetAttributable = explained(
  'NotYetAttributable',
  'While privacy rules exist, screenshots, documents and websites that no known window covers are hidden: ManicTime may not have stored the window yet. Ask again later. Windows without a program stay hidden while a rule names a program.',
);

export const noCommonGroups = degraded(
  'NoCommonGroup',
  'The database has no shared groups: names and colors can differ between timelines.',
);

export const noTagsTimeline = degraded(
  'NoTagsTimeline',
  'The database has no Tags timeline. The person can tag time in ManicTime, manually or with rules.',
);

export const noDevices = degraded(
  'NoEnvironment',
  'The database names no device, so device name and versions are unknown. Update ManicTime and start it once.',
);
