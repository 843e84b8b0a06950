import { DAY, HOUR } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import { type AggregateSubject, aggregateTable } from './aggregates.ts';
import type { Snapshot } from './snapshot.ts';
import { hasTags } from './tags.ts';
import { dataSpans } from './timelines.ts';
import { ofKind, stateOf, type TimelineKind } from './model/activity.ts';
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

const hasKind = (kind: TimelineKind) => (snapshot: Snapshot) => ofKind(snapshot.timelines, kind).length > 0;
const hasTable =
  (table: string, ...columns: readonly string[]) =>
  ({ layout }: Snapshot) =>
    layout.has(table, ...columns);
const hasTotals =
  (subject: AggregateSubject) =>
  ({ layout }: Snapshot) =>
    aggregateTable(layout, subject) !== undefined;

interface Check {
  readonly has: (snapshot: Snapshot) => boolean;
  readonly fallback: boolean;
  /** What answers without it say; undefined if that is normal for some layouts. */
  readonly note?: DiagnosticNote;
}

const check = (has: Check['has'], fallback: boolean, note?: DiagnosticNote): Check => ({
  has,
  fallback,
  ...(note === undefined ? {} : { note }),
});

const SPANS = ['ReportId', 'StartLocalTime', 'EndLocalTime'];

const CHECKS: Readonly<Record<string, Check>> = {
  Applications: check(hasKind('applications'), false, noApplicationsTimeline),
  ComputerUsage: check(hasKind('usage'), true, noUsageTimeline),
  PreAggregatedAppUsage: check(hasTotals('Application'), true, computedFromActivities),
  PreAggregatedWebUsage: check(hasTotals('WebSite'), true, computedFromActivities),
  PreAggregatedDocUsage: check(hasTotals('Document'), true, computedFromActivities),
  HourlyUsage: check(({ layout }) => aggregateTable(layout, 'WebSite')?.step === HOUR, true),
  CommonGroup: check(hasTable('Ar_CommonGroup'), true, noCommonGroups),
  Tags: check(hasTags, false, noTagsTimeline),
  TimelineSummary: check(hasTable('Ar_TimelineSummary', ...SPANS), true, computedFromActivities),
  Environment: check(hasTable('Ar_Environment'), false, noDevices),
};

/** What the database has, and what answers without the rest say. */
export function capabilitiesOf(snapshot: Snapshot): {
  readonly capabilities: readonly Capability[];
  readonly missing: readonly { readonly name: string; readonly note: DiagnosticNote }[];
} {
  const checks = Object.entries(CHECKS);
  const found = new Set(checks.flatMap(([name, { has }]) => (has(snapshot) ? [name] : [])));
  return {
    capabilities: checks.map(([name, { fallback }]) => {
      const available = found.has(name);
      return { name, available, fallbackActive: !available && fallback };
    }),
    missing: checks.flatMap(([name, { note }]) =>
      found.has(name) || note === undefined ? [] : [{ name, note }],
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
