import { getOrAdd } from '@deskside/core/base';
import {
  type Activity,
  type Group,
  type LocalRange,
  type TimelineKind,
  touches,
  touching,
} from '../database/model/activity.ts';
import { type Interval, intervalAfter, intervalAt, union } from '../database/model/interval.ts';
import { byStart } from '../database/snapshot.ts';
import {
  groupSubjects,
  hasRules,
  matchesAny,
  type PrivacyRules,
  REDACTED,
  type Rule,
  type Subjects,
  textSubjects,
} from './privacy.ts';

/** ManicTime records no visit below about 5 s, and the times of rows and screenshots come from different clocks. */
const GUARD_SECONDS = 10;

/** Rows of a range. Sorted by start. */
interface ScreenRows {
  readonly applications: readonly Activity[];
  /** The documents and websites that were open in the applications. */
  readonly documents: readonly Activity[];
  /** Of timelines of plugins. */
  readonly others: readonly Activity[];
}

/** When the screen may be shown. All lists are sorted and disjoint. */
export interface ScreenTimes {
  /** When something private was in the foreground, and {@link GUARD_SECONDS} on both sides. */
  readonly hidden: readonly Interval[];
  /** The same for what is excluded. */
  readonly excluded: readonly Interval[];
  /** When a known window was in the foreground. What other times show is not known (yet), so it is hidden. */
  readonly known: readonly Interval[];
}

/** The screen times of days that overlap each other; undefined without rules, as those of each day. */
export function joinedScreenTimes(days: readonly (ScreenTimes | undefined)[]): ScreenTimes | undefined {
  const times = days.filter((day) => day !== undefined);
  if (times.length === 0) return undefined;
  return {
    hidden: union(times.flatMap(({ hidden }) => hidden)),
    excluded: union(times.flatMap(({ excluded }) => excluded)),
    known: union(times.flatMap(({ known }) => known)),
  };
}

/** What rules leave of the rows that touch a range. */
interface PrivateRows extends ScreenRows {
  /** Undefined without rules. */
  readonly screen: ScreenTimes | undefined;
  /** The rows, as stored, that the rules exclude or redact, or whose window or program is not known. */
  readonly concealed: readonly Activity[];
  /** Those of them whose window or program is not known. */
  readonly unattributed: readonly Activity[];
}

/** Which rules a row matches itself, or whether it is a window without a program while a rule names one. */
type Matches = Readonly<Record<keyof PrivacyRules | 'isNameless', boolean>>;

const NOTHING_HIDDEN = { screen: undefined, concealed: [], unattributed: [] };

/**
 * The windows around the days that are read, what was open in them, and what plugins tracked. Only rows that
 * come in go out, and each is compared with the rules as it comes in.
 *
 * Omits or redacts rows that match the rules. A rule that matches a window or the website in it hides both,
 * whether the database links them or they only overlap in time. A document or website that no known window covers is
 * omitted: its window may be private, but not stored yet. A window without a program is hidden while a rule names one. What
 * plugins tracked while a window was hidden is hidden too.
 */
export function privacyFilter(rules: PrivacyRules) {
  const compare = hasRules(rules) ? comparedWith(rules) : undefined;
  let open: Activity[] = [];
  // Days share rows, and most rows match nothing: a map of all of them would cost more than their comparison.
  const matching = new WeakMap<Activity, Matches>();
  return {
    /** @param row of applications, documents or a plugin */
    add(row: Activity): void {
      const matches = compare?.(row, row.name);
      if (matches?.exclude || matches?.redact || matches?.isNameless) matching.set(row, matches);
      open.push(row);
    },
    /** Whether windows were open in a range, before any rule. */
    hasWindows: (range: LocalRange) =>
      open.some((row) => row.timeline.kind === 'applications' && touches(row, range)),
    /** @param window the range and what is around it. What does not touch it touches no later one */
    filter(window: LocalRange, range: LocalRange): PrivateRows {
      open = (compare === undefined ? touching : withWindows)(open, window).toSorted(byStart);
      const byKind = Map.groupBy(open, ({ timeline: { kind } }): TimelineKind =>
        kind === 'urls' ? 'documents' : kind,
      );
      const of = (kind: TimelineKind) => byKind.get(kind) ?? [];
      const rows = { applications: of('applications'), documents: of('documents'), others: of('other') };
      if (compare !== undefined)
        return filterRows(rows, range, matching, namesPrograms(rules.exclude) ? 'exclude' : 'redact');
      return {
        applications: touching(rows.applications, range),
        documents: touching(rows.documents, range),
        others: touching(rows.others, range),
        ...NOTHING_HIDDEN,
      };
    },
  };
}

/** Some rows, and the windows that their pages name: a page can outlast its window, and rules hide both. */
function withWindows(rows: readonly Activity[], range: LocalRange): Activity[] {
  const linked = new Set<number>();
  for (const row of rows) if (row.relatedId !== undefined && touches(row, range)) linked.add(row.relatedId);
  const isLinked = ({ timeline, activityId }: Activity) =>
    timeline.kind === 'applications' && activityId !== undefined && linked.has(activityId);
  return rows.filter((row) => touches(row, range) || isLinked(row));
}

function namesPrograms(rules: readonly Rule[]): boolean {
  return rules.some(({ subject }) => subject === 'app');
}

/** Compares each group once. */
function comparedWith(rules: PrivacyRules): (row: Activity, text: string | undefined) => Matches {
  const matches = (subjects: Subjects) => ({
    exclude: matchesAny(rules.exclude, subjects),
    redact: matchesAny(rules.redact, subjects),
  });
  const all = [...rules.exclude, ...rules.redact];
  const needsPrograms = namesPrograms(all);
  const namesTexts = all.some(({ subject }) => subject !== 'app');
  const namesSites = all.some(({ subject }) => subject === 'site' || subject === 'any');
  const ofGroups = new Map<TimelineKind, Map<Group, ReturnType<typeof matches>>>();
  return (row, text) => {
    const { timeline, group } = row;
    const ofKind = getOrAdd(ofGroups, timeline.kind, () => new Map<Group, ReturnType<typeof matches>>());
    const make = () => matches(groupSubjects(row));
    // A group without a name has the texts as names.
    const isNamed = group?.commonName !== undefined || group?.name !== undefined;
    const ofGroup = group === undefined || !isNamed ? make() : getOrAdd(ofKind, group, make);
    const ofText = namesTexts ? matches(textSubjects(row, text, namesSites)) : undefined;
    return {
      exclude: ofGroup.exclude || ofText?.exclude === true,
      redact: ofGroup.redact || ofText?.redact === true,
      isNameless: needsPrograms && timeline.kind === 'applications' && hasNoProgram(row),
    };
  };
}

function hasNoProgram({ group }: Activity): boolean {
  return [group?.name, group?.commonName, group?.key, group?.commonKey].every(
    (text) => text === undefined || text === '',
  );
}

/** @param effect of windows without a program */
function filterRows(
  rows: ScreenRows,
  range: LocalRange,
  matching: WeakMap<Activity, Matches>,
  effect: keyof PrivacyRules,
): PrivateRows {
  const { applications, documents, others } = rows;
  const links = linksOf(rows);
  const matchesBy = (by: keyof Matches) => (row: Activity) => matching.get(row)?.[by] === true;
  const known = union(applications.filter((row) => !matchesBy('isNameless')(row)));
  const affected = (by: keyof Matches) =>
    affectedRows(rows, links, [...applications, ...documents].filter(matchesBy(by)));
  /** Windows and what was open in them. */
  const hidden = { exclude: affected('exclude'), redact: affected('redact') };
  const nameless = [...affected('isNameless')].filter(
    (row) => !hidden.exclude.has(row) && !hidden.redact.has(row),
  );
  for (const row of nameless) hidden[effect].add(row);
  const uncovered = touching(documents, range).filter(
    (row) => !isCovered(row, known) && !hidden.exclude.has(row) && !links.has(row),
  );
  const tracked = (by: keyof PrivacyRules) => [
    ...others.filter(matchesBy(by)),
    ...overlapping(others, union([...hidden[by]])),
  ];
  const omitted = new Set([...hidden.exclude, ...uncovered, ...tracked('exclude')]);
  const nameHidden = new Set([...hidden.redact, ...tracked('redact')]);
  const shown = (activities: readonly Activity[]) =>
    touching(activities, range)
      .filter((row) => !omitted.has(row))
      .map((row) => (nameHidden.has(row) ? redact(row) : row));
  const excluded = union(Array.from(hidden.exclude, guarded));
  return {
    applications: shown(applications),
    documents: shown(documents),
    others: shown(others),
    screen: { hidden: union([...excluded, ...Array.from(hidden.redact, guarded)]), excluded, known },
    concealed: touching([...new Set([...omitted, ...nameHidden])], range),
    unattributed: touching([...new Set([...uncovered, ...nameless])], range),
  };
}

function guarded({ start, end }: Interval): Interval {
  return { start: start - GUARD_SECONDS, end: end + GUARD_SECONDS };
}

function isCovered({ start, end }: Interval, intervals: readonly Interval[] = []): boolean {
  const around = intervalAt(intervals, start);
  return around !== undefined && end <= around.end;
}

/** The same for rows of which a rule knows only a text, and for tags of hidden time: ManicTime also sets tags by the window. */
export function applyPrivacyToRows(
  activities: readonly Activity[],
  rules: PrivacyRules,
  titleOf: (row: Activity) => string | undefined = ({ name }) => name,
  screen?: ScreenTimes,
): { readonly rows: readonly Activity[]; readonly concealed: readonly Activity[] } {
  if (!hasRules(rules)) return { rows: activities, concealed: [] };
  const compare = comparedWith(rules);
  const rows: Activity[] = [];
  const concealed: Activity[] = [];
  for (const row of activities) {
    const matches = compare(row, titleOf(row));
    const isExcluded = matches.exclude || isCovered(row, screen?.excluded);
    const isRedacted = !isExcluded && (matches.redact || isCovered(row, screen?.hidden));
    if (isExcluded || isRedacted) concealed.push(row);
    if (!isExcluded) rows.push(isRedacted ? redact(row) : row);
  }
  return { rows, concealed };
}

/** The application row of each document that the database links to a known one. */
function linksOf({ applications, documents }: ScreenRows): Map<Activity, Activity> {
  const known = Map.groupBy(applications, ({ activityId }) => activityId);
  const links = new Map<Activity, Activity>();
  for (const document of documents) {
    const { relatedId, timeline } = document;
    if (relatedId === undefined) continue;
    // Ids repeat between devices.
    const window = known.get(relatedId)?.findLast((row) => row.timeline.environment === timeline.environment);
    if (window !== undefined) links.set(document, window);
  }
  return links;
}

/** @param matching some of the rows */
function affectedRows(
  { applications, documents }: ScreenRows,
  links: ReadonlyMap<Activity, Activity>,
  matching: readonly Activity[],
): Set<Activity> {
  if (matching.length === 0) return new Set();
  const matchingApps = matching.filter(({ timeline }) => timeline.kind === 'applications');
  const matchingDocuments = new Set(matching.filter(({ timeline }) => timeline.kind !== 'applications'));
  const affected = new Set(matching);
  for (const [document, application] of links) {
    if (matchingDocuments.has(document)) affected.add(application);
  }
  // A link counts for all documents of a window: two pages in one window are hidden together.
  for (const [document, application] of links) if (affected.has(application)) affected.add(document);
  const unlinked = documents.filter((row) => !links.has(row));
  for (const row of overlapping(unlinked, union(matchingApps))) affected.add(row);
  const pages = union(unlinked.filter((row) => matchingDocuments.has(row)));
  for (const row of overlapping(applications, pages)) affected.add(row);
  return affected;
}

/** @param intervals sorted and disjoint */
function overlapping(rows: readonly Activity[], intervals: readonly Interval[]): Activity[] {
  return rows.filter(({ start, end }) => {
    const interval = intervalAfter(intervals, start);
    return interval !== undefined && (interval.start < end || interval.start === start);
  });
}

/** By type, of which there are few. */
const redactedGroups = new Map<string | undefined, Group>();

/** Without names and identifiers; ids tell which group a row is of. */
function redact(row: Activity): Activity {
  const group = getOrAdd(redactedGroups, row.group?.type, () => ({
    name: REDACTED,
    color: undefined,
    key: undefined,
    type: row.group?.type,
    commonId: undefined,
    commonName: undefined,
    commonKey: undefined,
  }));
  return { ...row, name: REDACTED, group, groupId: undefined, groupListId: undefined, isRedacted: true };
}
