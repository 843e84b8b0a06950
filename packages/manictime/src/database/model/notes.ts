import { DAY, formatDate, type WallTime } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';

export const noApplicationsTimeline: DiagnosticNote = {
  degraded: true,
  reasonCode: 'NoApplicationsTimeline',
  remediationHint:
    'The database has no Applications timeline. Check in ManicTime that application tracking is switched on.',
};

export const noUsageTimeline: DiagnosticNote = {
  degraded: true,
  reasonCode: 'NoComputerUsageTimeline',
  remediationHint:
    'The database has no ComputerUsage timeline, so away and locked time counts as active. Check that ManicTime tracks computer usage.',
};

export const unknownUsageStates: DiagnosticNote = {
  degraded: true,
  reasonCode: 'UnknownUsageStates',
  remediationHint:
    'Some computer usage states have unknown names (translated or renamed). On days with only such states, idle time is not subtracted.',
};

export const computedFromActivities: DiagnosticNote = {
  degraded: true,
  reasonCode: 'FallbackComputation',
  remediationHint:
    "ManicTime's own totals are missing from the database; this answer is computed from single activities. Update ManicTime if answers are slow.",
};

/** @param days sorted */
export function aggregatesUsed(days: readonly WallTime[]): DiagnosticNote {
  return {
    degraded: true,
    reasonCode: 'AggregatesUsed',
    remediationHint: `Only ManicTime's own totals are left of ${daysText(days)}. They may include time away; segments, first activity and last activity are unknown.`,
  };
}

/** @param days sorted */
export function aggregatesLeftOut(days: readonly WallTime[]): DiagnosticNote {
  return {
    degraded: true,
    reasonCode: 'AggregatesLeftOut',
    remediationHint: `Only ManicTime's own totals are left of ${daysText(days)}. They have no titles, tags or hours, so that this answer leaves these days out. Group by application, day, week or month without filters to count them.`,
  };
}

/** @param days sorted */
export function totalsNotFiltered(days: readonly WallTime[]): DiagnosticNote {
  return {
    degraded: true,
    reasonCode: 'AggregatesLeftOut',
    remediationHint: `Only ManicTime's own totals are left of ${daysText(days)}. Nothing can be removed from them while privacy rules exist, so that this answer leaves these days out.`,
  };
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

export const notActive: DiagnosticNote = {
  degraded: false,
  reasonCode: 'NotActive',
  remediationHint:
    'Windows were open in this range, but the computer was away, locked or off, so none of it is active time.',
};

export const onlyOtherRows: DiagnosticNote = {
  degraded: false,
  reasonCode: 'NoDataInRange',
  remediationHint: 'Applications were used in this range, but this timeline has no rows in it.',
};

export const notTagged: DiagnosticNote = {
  degraded: false,
  reasonCode: 'NotTagged',
  remediationHint: 'Activities were tracked in this range, but none of them has a tag.',
};

export const activitiesPrivate: DiagnosticNote = {
  degraded: false,
  reasonCode: 'ActivitiesPrivate',
  remediationHint:
    'The privacy rules of the person (MANICTIME_EXCLUDE, MANICTIME_REDACT) hide all activities of this range.',
};

export const notYetAttributable: DiagnosticNote = {
  degraded: false,
  reasonCode: 'NotYetAttributable',
  remediationHint:
    'While privacy rules exist, screenshots, documents and websites that no known window covers are hidden: ManicTime may not have stored the window yet. Ask again later. Windows without a program stay hidden while a rule names a program.',
};

export const noCommonGroups: DiagnosticNote = {
  degraded: true,
  reasonCode: 'NoCommonGroup',
  remediationHint: 'The database has no shared groups: names and colors can differ between timelines.',
};

export const noTagsTimeline: DiagnosticNote = {
  degraded: true,
  reasonCode: 'NoTagsTimeline',
  remediationHint:
    'The database has no Tags timeline. The person can tag time in ManicTime, manually or with rules.',
};

export const noDevices: DiagnosticNote = {
  degraded: true,
  reasonCode: 'NoEnvironment',
  remediationHint:
    'The database names no device, so device name and versions are unknown. Update ManicTime and start it once.',
};

export const totalsLeftOut: DiagnosticNote = {
  degraded: true,
  reasonCode: 'AggregatesLeftOut',
  remediationHint:
    "Only ManicTime's own totals are left of this range, and this answer does not use them: they have no titles, tags or states, and nothing can be removed from them while privacy rules exist. Without rules, ask for applications per whole day.",
};
