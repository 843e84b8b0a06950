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

/** What the database has, and what answers without the rest say. */
export function capabilitiesOf({ layout, timelines, tags }: Snapshot) {
  const capabilities: Readonly<{ name: string; available: boolean; fallbackActive: boolean }>[] = [];
  const missing: { readonly name: string; readonly note: DiagnosticNote }[] = [];
  /** @param note none if some layouts do not have it */
  const check = (name: string, available: boolean, hasFallback: boolean, note?: DiagnosticNote) => {
    capabilities.push({ name, available, fallbackActive: !available && hasFallback });
    if (!available && note !== undefined) missing.push({ name, note });
  };
  const hasKind = (kind: TimelineKind) => ofKind(timelines, kind).length > 0;
  const hasTotals = (subject: AggregateSubject) => aggregateTable(layout, subject) !== undefined;
  const hasSpans = layout.has('Ar_TimelineSummary', 'ReportId', 'StartLocalTime', 'EndLocalTime');
  check('Applications', hasKind('applications'), false, noApplicationsTimeline);
  check('ComputerUsage', hasKind('usage'), true, noUsageTimeline);
  check('PreAggregatedAppUsage', hasTotals('applications'), true, computedFromActivities);
  check('PreAggregatedWebUsage', hasTotals('websites'), true, computedFromActivities);
  check('PreAggregatedDocUsage', hasTotals('documents'), true, computedFromActivities);
  check('HourlyUsage', aggregateTable(layout, 'websites')?.step === HOUR, true);
  check('CommonGroup', layout.has('Ar_CommonGroup'), true, noCommonGroups);
  check('Tags', tags.exist(timelines), false, noTagsTimeline);
  check('TimelineSummary', hasSpans, true, computedFromActivities);
  check('Environment', layout.has('Ar_Environment'), false, noDevices);
  return { capabilities, missing };
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
