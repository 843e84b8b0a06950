import type { PlannedRow } from './random-fixture.ts';

/** A rule in the count: what it does, and which rows it names. */
export interface CountedRule {
  readonly effect: 'exclude' | 'redact';
  readonly names: (row: PlannedRow) => boolean;
}

const REDACTED = { group: '[redacted]', name: '[redacted]' };

/**
 * What a rule leaves of the rows of one computer, and what it conceals of them without those of plugins. It compares every
 * second of every row, and shares no code with the code under test, only the definitions of docs/manictime.md.
 */
export function hideRows(all: readonly PlannedRow[], rule: CountedRule | undefined) {
  const rows = all.filter(({ start, end }) => end >= start);
  if (rule === undefined) return { rows, concealed: [], isVisible: () => true };
  const of = (...kinds: readonly PlannedRow['kind'][]) => rows.filter(({ kind }) => kinds.includes(kind));
  const [windows, pages, tags] = [of('application'), of('site', 'file'), of('tag')];
  const linkOf = (page: PlannedRow) => windows.find(({ id }) => id === page.relatedId);
  const hidden = new Set<PlannedRow>();
  for (const window of windows) {
    const hasPage = pages.some((page) => {
      const link = linkOf(page);
      return rule.names(page) && (link === undefined ? overlap(window, page) : link === window);
    });
    if (rule.names(window) || hasPage) hidden.add(window);
  }
  const known = secondsOf(windows);
  const uncovered = new Set<PlannedRow>();
  for (const page of pages) {
    const link = linkOf(page);
    const isOfHidden =
      link === undefined
        ? windows.some((window) => rule.names(window) && overlap(page, window))
        : rule.names(link) || pages.some((other) => linkOf(other) === link && rule.names(other));
    if (rule.names(page) || isOfHidden) hidden.add(page);
    if (link === undefined && !isWithin(page, known)) uncovered.add(page);
  }
  const hiddenTime = secondsOf([...hidden], 10);
  const tracked = of('plugin').filter((row) => [...hidden].some((other) => overlap(row, other)));
  for (const tag of tags) if (rule.names(tag) || isWithin(tag, hiddenTime)) hidden.add(tag);
  const concealed = [...hidden, ...uncovered];
  for (const row of tracked) hidden.add(row);
  const shown = rows.filter((row) => !uncovered.has(row) && (rule.effect === 'redact' || !hidden.has(row)));
  return {
    rows: shown.map((row) => (hidden.has(row) ? Object.assign({}, row, REDACTED) : row)),
    concealed: [...new Set(concealed)],
    /** Whether a screenshot of an instant may be shown. */
    isVisible: (instant: number) => known.has(instant) && !hiddenTime.has(instant),
  };
}

function secondsOf(rows: readonly PlannedRow[], guard = 0): ReadonlySet<number> {
  const seconds = new Set<number>();
  for (const { start, end } of rows) for (let at = start - guard; at < end + guard; at += 1) seconds.add(at);
  return seconds;
}

/** Whether a row, which may be empty, overlaps an interval, which is nothing if it is empty. */
function overlap(row: PlannedRow, interval: PlannedRow): boolean {
  const startsBefore = interval.start < row.end || interval.start === row.start;
  return interval.end > interval.start && startsBefore && row.start < interval.end;
}

function isWithin({ start, end }: PlannedRow, seconds: ReadonlySet<number>): boolean {
  for (let at = start; at < end; at += 1) if (!seconds.has(at)) return false;
  return end > start || seconds.has(start);
}
