import type { PlannedDatabase, PlannedRow } from './random-fixture.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Seconds of active time with the same things open, in one hour of the local clock. */
export interface Stretch {
  /** The instant of the first. */
  readonly at: number;
  readonly local: number;
  readonly seconds: number;
  readonly device: number;
  readonly application: string;
  readonly title: string | undefined;
  readonly site: string | undefined;
  readonly file: string | undefined;
  readonly tags: ReadonlySet<string>;
}

/**
 * Every second of active time in order, with what was open in it, marked row by row. It shares no code with the code under
 * test, only the definitions of docs/manictime.md.
 */
export function countAtoms(
  database: Pick<PlannedDatabase, 'rows' | 'localOf' | 'trackedDevices'>,
): Stretch[] {
  const { rows, localOf } = database;
  const from = rows.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY);
  const length = rows.reduce((most, { end }) => Math.max(most, end), from) - from;
  const span = { from, length };
  const of = (kind: PlannedRow['kind']) => rows.filter((row) => row.kind === kind && row.end >= row.start);
  const windows = lastStarted(span, of('application'), activityOf(span, database));
  const devices = [...new Set(rows.map(({ device }) => device))];
  const opened = (kind: 'site' | 'file') =>
    new Map(
      devices.map((device) => [
        device,
        lastStarted(
          span,
          of(kind).filter((row) => row.device === device),
        ),
      ]),
    );
  const sites = opened('site');
  const files = opened('file');
  const tags = tagsOf(span, of('tag'));
  const stretches: Stretch[] = [];
  let last: (Stretch & { seconds: number; row: PlannedRow }) | undefined;
  for (const [offset, row] of windows.entries()) {
    if (row === undefined) continue;
    const at = from + offset;
    const local = localOf(row.device, at);
    const site = sites.get(row.device)?.[offset]?.group;
    const file = files.get(row.device)?.[offset]?.group;
    const names = tags[offset] ?? NONE;
    const continues =
      last?.row === row &&
      last.site === site &&
      last.file === file &&
      last.tags === names &&
      last.at + last.seconds === at &&
      last.local + last.seconds === local &&
      local % HOUR !== 0;
    if (last !== undefined && continues) {
      last.seconds += 1;
      continue;
    }
    const { device, name: title, group } = row;
    const application = group ?? title ?? 'Unknown';
    last = { at, local, seconds: 1, device, application, title, site, file, tags: names, row };
    stretches.push(last);
  }
  return stretches;
}

/** The parts between two local times. */
export function within(stretches: readonly Stretch[], from: number, to: number): Stretch[] {
  return stretches.flatMap((stretch) => {
    const before = Math.max(0, from - stretch.local);
    const seconds = Math.min(stretch.seconds, to - stretch.local) - before;
    const [at, local] = [stretch.at + before, stretch.local + before];
    return seconds > 0 ? Object.assign({}, stretch, { at, local, seconds }) : [];
  });
}

export function secondsOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { seconds }) => sum + seconds, 0);
}

const NONE: ReadonlySet<string> = new Set();

/** All seconds of a database. An array with an element per second is much faster than a map. */
interface Span {
  readonly from: number;
  readonly length: number;
}

/** The row of each second: the one that started last; of equals the shortest, then the latest id. */
function lastStarted(
  { from, length }: Span,
  rows: readonly PlannedRow[],
  has: (row: PlannedRow, at: number) => boolean = () => true,
): readonly (PlannedRow | undefined)[] {
  const seconds = Array.from<PlannedRow | undefined>({ length });
  const inOrder = rows.toSorted(
    (a, b) => a.start - b.start || b.end - a.end || a.id - b.id || a.report - b.report,
  );
  for (const row of inOrder)
    for (let at = row.start; at < row.end; at += 1) if (has(row, at)) seconds[at - from] = row;
  return seconds;
}

/** The names of each second. Seconds with the same names share a set. */
function tagsOf(
  { from, length }: Span,
  rows: readonly PlannedRow[],
): readonly (ReadonlySet<string> | undefined)[] {
  const seconds = Array.from<ReadonlySet<string> | undefined>({ length });
  for (const { start, end, name = '' } of rows) {
    const added = new Map<ReadonlySet<string> | undefined, ReadonlySet<string>>();
    for (let at = start; at < end; at += 1) {
      const before = seconds[at - from];
      const names = added.get(before) ?? new Set([...(before ?? NONE), ...name.split(', ')]);
      added.set(before, names);
      seconds[at - from] = names;
    }
  }
  return seconds;
}

function activityOf(
  { from, length }: Span,
  { rows, localOf, trackedDevices }: Parameters<typeof countAtoms>[0],
): (row: PlannedRow, at: number) => boolean {
  const states = rows.filter(({ kind }) => kind === 'state');
  const known = new Map<string, { active: Uint8Array; days: Set<number>; last: number }>();
  for (const device of ['all', ...trackedDevices]) {
    const own = states.filter((row) => device === 'all' || row.device === device);
    const active = new Uint8Array(length);
    const days = new Set<number>();
    for (const row of own) {
      if (row.group === 'Active') for (let at = row.start; at < row.end; at += 1) active[at - from] = 1;
      const [start, end] = [localOf(row.device, row.start), localOf(row.device, row.end)];
      for (let day = Math.floor(start / DAY); day * DAY < end; day += 1) days.add(day);
    }
    known.set(String(device), { active, days, last: Math.max(...own.map(({ end }) => end)) });
  }
  return ({ device }, at) => {
    const of = known.get(trackedDevices.has(device) ? String(device) : 'all');
    if (of === undefined) return true;
    return at >= of.last || of.active[at - from] === 1 || !of.days.has(Math.floor(localOf(device, at) / DAY));
  };
}
