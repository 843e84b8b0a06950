import type { RandomDatabase, RandomRow } from './random-database.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

/** A rule in the count: what it does, and which rows it names. */
export interface CountedRule {
  readonly effect: 'exclude' | 'redact';
  readonly names: (row: RandomRow, kind: 'application' | 'document' | 'tag') => boolean;
}

export interface Count {
  /** Active seconds of an application at a local time, a website at a local time. */
  readonly applications: readonly { readonly local: number; readonly label: string }[];
  readonly websites: readonly { readonly local: number; readonly label: string }[];
  /** Every second with a tag, once, with its tags in order. */
  readonly tagged: readonly { readonly local: number; readonly labels: readonly string[] }[];
  /** The rows that lists show, and those that the rules conceal. */
  readonly shown: Record<'applications' | 'documents' | 'tags', readonly RandomRow[]>;
  readonly concealed: readonly RandomRow[];
  readonly visibleShots: readonly { readonly local: number }[];
}

/**
 * Marks every second of every row, one after the other. It shares no code with the code under test, only the
 * definitions of docs/manictime.md.
 */
export function countSeconds(database: RandomDatabase, rule: CountedRule | undefined): Count {
  const { applications, documents, tags, shots } = database;
  const hidden = new Set<RandomRow>();
  const isNamed = (row: RandomRow, kind: 'application' | 'document' | 'tag') =>
    rule?.names(row, kind) === true;
  const linkOf = (page: RandomRow) => applications.find(({ id }) => id === page.relatedId);
  for (const window of applications) {
    const ofPage = documents.some((page) => {
      if (!isNamed(page, 'document')) return false;
      const link = linkOf(page);
      return link === undefined ? overlap(window, page) : link === window;
    });
    if (isNamed(window, 'application') || ofPage) hidden.add(window);
  }
  const known = new Set<number>();
  for (const { start, end } of applications) for (let at = start; at < end; at += 1) known.add(at);
  const uncovered = new Set<RandomRow>();
  for (const page of documents) {
    const link = linkOf(page);
    const ofWindow =
      link === undefined
        ? applications.some((window) => isNamed(window, 'application') && overlap(page, window))
        : isNamed(link, 'application') ||
          documents.some((other) => linkOf(other) === link && isNamed(other, 'document'));
    if (isNamed(page, 'document') || ofWindow) hidden.add(page);
    if (rule !== undefined && link === undefined && !isWithin(page, known)) uncovered.add(page);
  }
  const hiddenTime = new Set<number>();
  for (const { start, end } of hidden) for (let at = start - 10; at < end + 10; at += 1) hiddenTime.add(at);
  for (const tag of tags) if (isNamed(tag, 'tag') || isWithin(tag, hiddenTime)) hidden.add(tag);
  const isShown = (row: RandomRow) => !uncovered.has(row) && (rule?.effect === 'redact' || !hidden.has(row));
  const shown = {
    applications: applications.filter(isShown),
    documents: documents.filter(isShown),
    tags: tags.filter(isShown),
  };
  const isActive = activeSeconds(database);
  const labelOf = (row: RandomRow) => (hidden.has(row) ? '[redacted]' : row.group);
  const windows = new Map(
    [...foreground(shown.applications)].filter(([at, row]) => isActive(at, localOf(row, at))),
  );
  const sites = foreground(shown.documents.filter(({ name }) => name.startsWith('https:')));
  const moment = ([at, row]: readonly [number, RandomRow]) => ({
    local: localOf(row, at),
    label: labelOf(row),
  });
  const hiddenSeconds = [...hidden].filter((row) => !tags.includes(row));
  return {
    applications: Array.from(windows, moment),
    websites: Array.from(sites)
      .filter(([at]) => windows.has(at))
      .map(moment),
    tagged: tagged(shown.tags, (row) => (hidden.has(row) ? '[redacted]' : row.name)),
    shown,
    concealed: [...new Set([...hidden, ...uncovered])],
    visibleShots: shots.filter(
      ({ instant }) =>
        rule === undefined ||
        (known.has(instant) &&
          !hiddenSeconds.some(({ start, end }) => start - 10 <= instant && instant < end + 10)),
    ),
  };
}

/** Whether a row, which may be empty, overlaps an interval, which is nothing if it is empty. */
function overlap(row: RandomRow, interval: RandomRow): boolean {
  const startsBefore = interval.start < row.end || interval.start === row.start;
  return interval.end > interval.start && startsBefore && row.start < interval.end;
}

function isWithin({ start, end }: RandomRow, seconds: ReadonlySet<number>): boolean {
  for (let at = start; at < end; at += 1) if (!seconds.has(at)) return false;
  return end > start || seconds.has(start);
}

/** The row in the foreground of each second: the one that started last; of equals the shortest, then the latest id. */
function foreground(rows: readonly RandomRow[]): Map<number, RandomRow> {
  const seconds = new Map<number, RandomRow>();
  for (const row of rows.toSorted((a, b) => a.start - b.start || b.end - a.end || a.id - b.id)) {
    for (let at = row.start; at < row.end; at += 1) seconds.set(at, row);
  }
  return seconds;
}

function tagged(rows: readonly RandomRow[], nameOf: (row: RandomRow) => string): Count['tagged'] {
  const seconds = new Map<number, { local: number; names: Set<string> }>();
  for (const row of rows) {
    for (let at = row.start; at < row.end; at += 1) {
      const second = seconds.get(at);
      if (second === undefined) seconds.set(at, { local: localOf(row, at), names: new Set([nameOf(row)]) });
      else second.names.add(nameOf(row));
    }
  }
  return Array.from(seconds.values(), ({ local, names }) => ({ local, labels: [...names].toSorted() }));
}

/** If the clocks change during a row, the nearer end decides. */
function localOf({ start, end, localStart, localEnd }: RandomRow, at: number): number {
  return at - start < end - at ? localStart + at - start : localEnd - (end - at);
}

function activeSeconds({ usage }: RandomDatabase): (at: number, local: number) => boolean {
  const active = new Set<number>();
  const trackedDays = new Set<number>();
  let last = Number.POSITIVE_INFINITY;
  for (const { start, end, localStart, localEnd, group } of usage) {
    if (group === 'Active') for (let at = start; at < end; at += 1) active.add(at);
    for (let local = localStart; local < localEnd; local += 1) trackedDays.add(Math.floor(local / DAY));
    last = last === Number.POSITIVE_INFINITY ? end : Math.max(last, end);
  }
  return (at, local) => at >= last || active.has(at) || !trackedDays.has(Math.floor(local / DAY));
}
