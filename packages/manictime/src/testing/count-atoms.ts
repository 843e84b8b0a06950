import type { PlannedDatabase, PlannedRow } from './random-fixture.ts';

const DAY = 86_400;

/** One second of active time. */
export interface Second {
  /** The instant. */
  readonly at: number;
  readonly device: number;
  readonly local: number;
  readonly application: string;
  readonly title: string | undefined;
  readonly site: string | undefined;
  readonly file: string | undefined;
  readonly tags: ReadonlySet<string>;
}

/**
 * Every second of active time with what was open in it, marked row by row. It shares no code with the code under test, only
 * the definitions of docs/manictime.md.
 */
export function countAtoms(database: Pick<PlannedDatabase, 'rows' | 'localOf' | 'trackedDevices'>): Second[] {
  const { rows, localOf } = database;
  const of = (kind: PlannedRow['kind']) => rows.filter((row) => row.kind === kind && row.end >= row.start);
  const isActive = activityOf(database);
  const windows = lastStarted(of('application').map((row) => [row, (at: number) => isActive(row, at)]));
  const opened = (kind: 'site' | 'file', device: number) =>
    lastStarted(
      of(kind)
        .filter((row) => row.device === device)
        .map((row) => [row, () => true]),
    );
  const devices = [...new Set(rows.map(({ device }) => device))];
  const sites = new Map(devices.map((device) => [device, opened('site', device)]));
  const files = new Map(devices.map((device) => [device, opened('file', device)]));
  const tags = new Map<number, Set<string>>();
  for (const { start, end, name = '' } of of('tag')) {
    for (let at = start; at < end; at += 1) {
      const names = tags.get(at) ?? new Set();
      tags.set(at, names);
      for (const tag of name.split(', ')) names.add(tag);
    }
  }
  return Array.from(windows, ([at, window]) => ({
    at,
    device: window.device,
    local: localOf(window.device, at),
    application: window.group ?? window.name ?? 'Unknown',
    title: window.name,
    site: sites.get(window.device)?.get(at)?.group,
    file: files.get(window.device)?.get(at)?.group,
    tags: tags.get(at) ?? new Set<string>(),
  }));
}

/** The row of each second: the one that started last; of equals the shortest, then the latest id. */
function lastStarted(
  rows: readonly (readonly [row: PlannedRow, has: (at: number) => boolean])[],
): Map<number, PlannedRow> {
  const seconds = new Map<number, PlannedRow>();
  const inOrder = rows.toSorted(
    ([a], [b]) => a.start - b.start || b.end - a.end || a.id - b.id || a.report - b.report,
  );
  for (const [row, has] of inOrder)
    for (let at = row.start; at < row.end; at += 1) if (has(at)) seconds.set(at, row);
  return seconds;
}

function activityOf({ rows, localOf, trackedDevices }: Parameters<typeof countAtoms>[0]) {
  const states = rows.filter(({ kind }) => kind === 'state');
  const known = new Map<string, { active: Set<number>; days: Set<number>; last: number }>();
  for (const device of ['all', ...trackedDevices]) {
    const own = states.filter((row) => device === 'all' || row.device === device);
    const active = new Set<number>();
    const days = new Set<number>();
    for (const row of own) {
      if (row.group === 'Active') for (let at = row.start; at < row.end; at += 1) active.add(at);
      const [from, to] = [localOf(row.device, row.start), localOf(row.device, row.end)];
      for (let day = Math.floor(from / DAY); day * DAY < to; day += 1) days.add(day);
    }
    known.set(String(device), { active, days, last: Math.max(...own.map(({ end }) => end)) });
  }
  return ({ device }: PlannedRow, at: number): boolean => {
    const of = known.get(trackedDevices.has(device) ? String(device) : 'all');
    if (of === undefined) return true;
    return at >= of.last || of.active.has(at) || !of.days.has(Math.floor(localOf(device, at) / DAY));
  };
}
