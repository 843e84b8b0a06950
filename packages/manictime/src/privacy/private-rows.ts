import { type Interval, union } from '../time/intervals.ts';
import type { Activity } from '../timeline/activity.ts';
import { hasRules, matches, type PrivacyRules, subjectsOf } from './rules.ts';

const REDACTED = '[redacted]';

/** What was on the screen in a range: application rows, and the documents and sites seen in them. */
export interface ScreenRows {
  readonly applications: readonly Activity[];
  readonly documents: readonly Activity[];
}

export interface PrivateRows extends ScreenRows {
  /** Instants at which something private was in front: no screenshot of these is shown. */
  readonly hidden: readonly Interval[];
}

/**
 * Leaves out or redacts what the rules name. A window and the site in it are one: a rule that names either
 * hides both, whether the database links them or they only overlap in time.
 */
export function withoutPrivate(rows: ScreenRows, rules: PrivacyRules): PrivateRows {
  if (!hasRules(rules)) return { ...rows, hidden: [] };
  const excluded = touchedBy(rows, (row) => matches(rules.exclude, subjectsOf(row)));
  const redacted = touchedBy(rows, (row) => matches(rules.redact, subjectsOf(row)));
  const shown = (activities: readonly Activity[]) =>
    activities.filter((row) => !excluded.has(row)).map((row) => (redacted.has(row) ? redact(row) : row));
  return {
    applications: shown(rows.applications),
    documents: shown(rows.documents),
    hidden: union([...excluded, ...redacted]),
  };
}

/** The same for a timeline whose rows stand for themselves. */
export function withoutPrivateNames(activities: readonly Activity[], rules: PrivacyRules): Activity[] {
  return activities
    .filter((row) => !matches(rules.exclude, subjectsOf(row)))
    .map((row) => (matches(rules.redact, subjectsOf(row)) ? redact(row) : row));
}

function touchedBy(
  { applications, documents }: ScreenRows,
  named: (row: Activity) => boolean,
): Set<Activity> {
  const apps = new Set(applications.filter(named));
  const seen = new Set(documents.filter(named));
  const touched = new Set([...apps, ...seen]);
  const appIds = new Set(Array.from(apps, ({ activityId }) => activityId));
  const seenIds = new Set(Array.from(seen, ({ relatedId }) => relatedId));
  for (const app of applications) if (seenIds.has(app.activityId)) touched.add(app);
  for (const document of documents) {
    if (document.relatedId !== undefined && appIds.has(document.relatedId)) touched.add(document);
  }
  const unlinked = documents.filter(({ relatedId }) => relatedId === undefined);
  addOverlapping(touched, unlinked, union([...apps]));
  addOverlapping(touched, applications, union(unlinked.filter((row) => seen.has(row))));
  return touched;
}

/** @param rows sorted by start */
function addOverlapping(
  touched: Set<Activity>,
  rows: readonly Activity[],
  intervals: readonly Interval[],
): void {
  let first = 0;
  for (const row of rows) {
    while (first < intervals.length && (intervals[first]?.end ?? 0) <= row.start) first += 1;
    const interval = intervals[first];
    if (interval !== undefined && interval.start < row.end) touched.add(row);
  }
}

function redact(row: Activity): Activity {
  const group = {
    name: REDACTED,
    color: undefined,
    key: undefined,
    type: row.group?.type,
    commonId: undefined,
    commonName: undefined,
    commonKey: undefined,
  };
  return { ...row, name: REDACTED, group };
}
