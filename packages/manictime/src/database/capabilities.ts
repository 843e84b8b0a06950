import { DAY, HOUR } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import { aggregateTable } from './aggregates.ts';
import type { Snapshot } from './snapshot.ts';
import { hasTags } from './tags.ts';
import { dataSpans } from './timelines.ts';
import { ofKind, stateOf } from './model/activity.ts';
import {
  computedFromActivities,
  noApplicationsTimeline,
  noCommonGroups,
  noDevices,
  noTagsTimeline,
  noUsageTimeline,
} from './model/notes.ts';

/** A feature that depends on what the database contains. */
export interface Capability {
  readonly name: string;
  readonly available: boolean;
  /** Whether a fallback replaces it. */
  readonly fallbackActive: boolean;
}

interface Check {
  readonly name: string;
  readonly has: (snapshot: Snapshot) => boolean;
  readonly fallback: boolean;
  /** What answers without it say; undefined if that is normal for some layouts. */
  readonly note?: DiagnosticNote;
}

const hasTotals =
  (subject: 'Application' | 'WebSite' | 'Document') =>
  ({ layout }: Snapshot) =>
    aggregateTable(layout, subject) !== undefined;

const CHECKS: readonly Check[] = [
  {
    name: 'Applications',
    has: ({ timelines }) => ofKind(timelines, 'applications').length > 0,
    fallback: false,
    note: noApplicationsTimeline,
  },
  {
    name: 'ComputerUsage',
    has: ({ timelines }) => ofKind(timelines, 'usage').length > 0,
    fallback: true,
    note: noUsageTimeline,
  },
  {
    name: 'PreAggregatedAppUsage',
    has: hasTotals('Application'),
    fallback: true,
    note: computedFromActivities,
  },
  { name: 'PreAggregatedWebUsage', has: hasTotals('WebSite'), fallback: true, note: computedFromActivities },
  { name: 'PreAggregatedDocUsage', has: hasTotals('Document'), fallback: true, note: computedFromActivities },
  {
    name: 'HourlyUsage',
    has: ({ layout }) => aggregateTable(layout, 'WebSite')?.step === HOUR,
    fallback: true,
  },
  {
    name: 'CommonGroup',
    has: ({ layout }) => layout.has('Ar_CommonGroup'),
    fallback: true,
    note: noCommonGroups,
  },
  { name: 'Tags', has: hasTags, fallback: false, note: noTagsTimeline },
  {
    name: 'TimelineSummary',
    has: ({ layout }) => layout.has('Ar_TimelineSummary', 'ReportId', 'StartLocalTime', 'EndLocalTime'),
    fallback: true,
    note: computedFromActivities,
  },
  {
    name: 'Environment',
    has: ({ layout }) => layout.has('Ar_Environment'),
    fallback: false,
    note: noDevices,
  },
];

/** What the database has, and what answers without the rest say. */
export function capabilitiesOf(snapshot: Snapshot): {
  readonly capabilities: readonly Capability[];
  readonly missing: readonly { readonly name: string; readonly note: DiagnosticNote }[];
} {
  const found = new Set(CHECKS.filter(({ has }) => has(snapshot)));
  return {
    capabilities: CHECKS.map((check) => ({
      name: check.name,
      available: found.has(check),
      fallbackActive: !found.has(check) && check.fallback,
    })),
    missing: CHECKS.flatMap((check) =>
      found.has(check) || check.note === undefined ? [] : [{ name: check.name, note: check.note }],
    ),
  };
}

/** Up to the last state. Older ones no longer say what ManicTime writes. */
const STATES_SECONDS = 31 * DAY;

/** Whether some states of the last days with states are unknown. */
export function hasUnknownStates(snapshot: Snapshot): boolean {
  const usage = ofKind(snapshot.timelines, 'usage');
  // Calendars and planned tags have rows in the future.
  const ends = dataSpans(snapshot).spans.flatMap(({ reportId, end }) =>
    end !== undefined && usage.some((timeline) => timeline.reportId === reportId) ? [end] : [],
  );
  if (ends.length === 0) return false;
  const end = Math.max(...ends);
  const range = { from: end - STATES_SECONDS, to: end + DAY };
  for (const { activities } of snapshot.batches(usage, range))
    if (activities.some((row) => stateOf(row) === undefined)) return true;
  return false;
}
