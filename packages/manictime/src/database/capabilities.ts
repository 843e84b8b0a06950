import { DAY, HOUR } from '@deskside/core/dates';
import type { DiagnosticNote } from '@deskside/core/errors';
import { type AggregateSubject, aggregateTable } from './aggregates.ts';
import type { Snapshot } from './snapshot.ts';
import { dataSpan } from './timelines.ts';
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

interface Check {
  readonly name: string;
  readonly has: boolean;
  readonly fallback: boolean;
  /** What answers without it say; undefined if that is normal for some layouts. */
  readonly note?: DiagnosticNote;
}

function checksOf({ layout, timelines, tags }: Snapshot): Check[] {
  const hasKind = (kind: TimelineKind) => ofKind(timelines, kind).length > 0;
  const totals = (subject: AggregateSubject) => ({
    has: aggregateTable(layout, subject) !== undefined,
    fallback: true,
    note: computedFromActivities,
  });
  const hasSpans = layout.has('Ar_TimelineSummary', 'ReportId', 'StartLocalTime', 'EndLocalTime');
  const hasHours = aggregateTable(layout, 'WebSite')?.step === HOUR;
  return [
    { name: 'Applications', has: hasKind('applications'), fallback: false, note: noApplicationsTimeline },
    { name: 'ComputerUsage', has: hasKind('usage'), fallback: true, note: noUsageTimeline },
    { name: 'PreAggregatedAppUsage', ...totals('Application') },
    { name: 'PreAggregatedWebUsage', ...totals('WebSite') },
    { name: 'PreAggregatedDocUsage', ...totals('Document') },
    { name: 'HourlyUsage', has: hasHours, fallback: true },
    { name: 'CommonGroup', has: layout.has('Ar_CommonGroup'), fallback: true, note: noCommonGroups },
    { name: 'Tags', has: tags.exist(timelines), fallback: false, note: noTagsTimeline },
    { name: 'TimelineSummary', has: hasSpans, fallback: true, note: computedFromActivities },
    { name: 'Environment', has: layout.has('Ar_Environment'), fallback: false, note: noDevices },
  ];
}

/** What the database has, and what answers without the rest say. */
export function capabilitiesOf(snapshot: Snapshot): {
  readonly capabilities: readonly Capability[];
  readonly missing: readonly { readonly name: string; readonly note: DiagnosticNote }[];
} {
  const checks = checksOf(snapshot);
  return {
    capabilities: checks.map(({ name, has, fallback }) => {
      return { name, available: has, fallbackActive: !has && fallback };
    }),
    missing: checks.flatMap(({ name, has, note }) => (has || note === undefined ? [] : [{ name, note }])),
  };
}

/** Up to the last state. Older ones no longer say what ManicTime writes. */
const STATES_SECONDS = 31 * DAY;

/** Whether some states of the last days with states are unknown. */
export function hasUnknownStates(snapshot: Snapshot): boolean {
  const usage = ofKind(snapshot.timelines, 'usage');
  const { end } = dataSpan(snapshot, 'usage');
  if (end === undefined) return false;
  const range = { from: end - STATES_SECONDS, to: end + DAY };
  for (const { activities } of snapshot.batches(usage, range))
    if (activities.some((row) => stateOf(row) === undefined)) return true;
  return false;
}
