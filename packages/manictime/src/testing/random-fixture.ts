import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getOrAdd } from '@deskside/core/base';
import { randomOf } from '@deskside/core/testing/random';
import { formatDate } from '@deskside/core/dates';
import { stemOf } from '../screenshots/shot.ts';
import {
  APPLICATIONS,
  DOCUMENTS,
  type Fixture,
  type FixtureRow,
  TAGS,
  USAGE,
  writeFixture,
} from './fixture.ts';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** What a row is: instants, and where it is stored. */
export interface PlannedRow {
  readonly start: number;
  readonly end: number;
  readonly device: number;
  readonly kind: 'application' | 'site' | 'file' | 'tag' | 'state' | 'plugin';
  /** Undefined: the row has no group. */
  readonly group: string | undefined;
  readonly name: string | undefined;
  readonly id: number;
  readonly report: number;
  /** Of a page or file: the id of its window. */
  readonly relatedId?: number;
}

export interface PlannedDatabase {
  readonly fixture: Fixture;
  readonly rows: readonly PlannedRow[];
  /** Local time on a computer at an instant. */
  readonly localOf: (device: number, instant: number) => number;
  /** Computers with states of their own. */
  readonly trackedDevices: ReadonlySet<number>;
  readonly firstDay: number;
  readonly days: number;
}

const APPS = ['Code', 'Firefox', 'Outlook', 'Teams'];
const SITES = ['github.test', 'news.test', 'mail.test'];
const FILES = ['plan.md', 'budget.xlsx'];
const TAG_NAMES = ['Client A', 'Client B, Billable', 'Admin'];

/** The week of a clock change in each zone, or none. */
const PLACES = [
  ['Europe/Berlin', '2026-03-27'],
  ['America/New_York', '2026-10-30'],
  ['Asia/Kolkata', '2026-06-08'],
  ['Europe/Berlin', '2026-10-23'],
  ['America/New_York', '2026-03-06'],
] as const;

/**
 * Up to three computers (the third without states) in different zones, a flight, plugin timelines, rows without group or name,
 * duplicates, rows written late, windows over the nights of clock changes, empty and reversed rows.
 *
 * @param isLinked one computer, whose windows have groups, and some of whose pages name their window
 */
export function randomFixture(seed: number, isLinked = false): PlannedDatabase {
  const random = randomOf(seed + 77);
  const [zone, monday] = PLACES[seed % PLACES.length] ?? PLACES[0];
  const home = localClock(zone);
  const abroad = localClock('Asia/Tokyo');
  const firstDay = Date.parse(monday) / 1000;
  const days = 4;
  const begin = firstDay - (home(firstDay) - firstDay);
  const flight = seed % 3 === 0 ? begin + DAY + random(DAY) : Number.POSITIVE_INFINITY;
  const devices = isLinked ? 1 : 1 + (seed % 3);
  const localOf = (device: number, instant: number) =>
    (device === 2 && seed % 2 === 0) || (device === 1 && instant >= flight) ? abroad(instant) : home(instant);
  const rows: PlannedRow[] = [];
  const pick = (names: readonly string[]) => names[random(names.length)] ?? '';
  const add = (row: Omit<PlannedRow, 'id'>) => {
    const end = endBeforeChange(row.start, row.end, (instant) => localOf(row.device, instant));
    const id = random(12) === 0 ? 9000 + rows.length : 100 + rows.length;
    rows.push({ ...row, end, id });
    return id;
  };
  for (let device = 1; device <= devices; device += 1) {
    const report = (base: number) => base + (device - 1) * 20;
    for (let start = begin + random(6 * HOUR); start < begin + days * DAY - 4 * HOUR;) {
      const length = random(12) === 0 ? random(9 * HOUR) : random(50 * MINUTE);
      const end = start + length;
      const hasGroup = random(9) > 0 || isLinked;
      const app = pick(APPS);
      const name = random(15) === 0 ? undefined : `${app} ${random(3)}`;
      const of = { start, device, report: report(APPLICATIONS), kind: 'application' as const };
      const window = add({ ...of, end, group: hasGroup ? app : undefined, name });
      if (random(20) === 0) add({ ...of, end, group: app, name: `${app} again` });
      // ManicTime also sets tags by the window.
      const tag = { kind: 'tag', report: report(TAGS), group: undefined } as const;
      if (random(10) === 0) add({ ...of, ...tag, end: end + random(14), name: pick(TAG_NAMES) });
      const event = { kind: 'plugin', report: report(PLUGIN), group: 'Calendar' } as const;
      if (random(10) === 0) add({ ...of, ...event, end: start, name: 'Moment' });
      if (random(30) === 0) add({ ...of, end: start - 60, group: 'Reversed', name: 'Reversed' });
      if (random(3) > 0) {
        const isSite = random(3) > 0;
        const content = pick(isSite ? SITES : FILES);
        const from = start + (random(2) === 0 ? random(Math.max(1, length)) : 0);
        add({
          start: from,
          end: Math.max(from, end + (random(4) === 0 ? random(HOUR) : 0)),
          device,
          report: isSite && random(3) === 0 ? report(URLS) : report(DOCUMENTS),
          kind: isSite ? 'site' : 'file',
          group: content,
          name: isSite ? `https://${content}/${random(2)}` : content,
          ...(isLinked && random(4) > 0 ? { relatedId: window } : {}),
        });
      }
      start += [length, length, Math.floor(length / 2), length + random(2 * HOUR)][random(4)] ?? length;
    }
    const stateEnd = device < 3 ? begin + days * DAY - 10 * HOUR : begin;
    for (let start = begin; start < stateEnd;) {
      const end = start + random(4 * HOUR);
      const state = pick(['Active', 'Active', 'Away', 'Session lock']);
      add({ start, end, device, kind: 'state', report: report(USAGE), group: state, name: state });
      start = end + (random(8) === 0 ? random(2 * HOUR) : 0);
    }
    for (let count = 0; count < 8; count += 1) {
      const start = begin + random(days * DAY);
      const of = { start, end: start + random(5 * HOUR), device, group: undefined };
      add({ ...of, kind: 'tag', report: report(TAGS), name: pick(TAG_NAMES) });
      add({ ...of, kind: 'plugin', report: report(PLUGIN), name: 'Meeting', group: 'Calendar' });
    }
  }
  return {
    fixture: fixtureOf(
      rows.toSorted(() => random(3) - 1),
      devices,
      localOf,
    ),
    rows,
    localOf,
    trackedDevices: new Set([1, 2]),
    firstDay,
    days,
  };
}

/**
 * A local time on the second or third day, at which a range is cut. It is no time that a change of the clock repeats: a row
 * over that change counts there until its clock reaches the time first, a row after it until it reaches the time again.
 */
export function cutOf({ firstDay }: PlannedDatabase, random: (below: number) => number): number {
  const cut = firstDay + DAY + random(2 * DAY);
  return cut % DAY < LAST_REPEATED_HOUR ? cut + LAST_REPEATED_HOUR : cut;
}

const LAST_REPEATED_HOUR = 3 * HOUR;
const URLS = 5;
export const PLUGIN = 6;

function fixtureOf(
  rows: readonly PlannedRow[],
  devices: number,
  localOf: PlannedDatabase['localOf'],
): Fixture {
  const stored = (kinds: readonly PlannedRow['kind'][]): FixtureRow[] =>
    rows.filter(({ kind }) => kinds.includes(kind)).map((row) => rowOf(row, localOf));
  const more = Array.from({ length: devices }, (_, index) => [
    { report: URLS, schema: 'ManicTime/BrowserUrls' },
    { report: PLUGIN, schema: 'Plugin/Calendar' },
    ...(index === 0
      ? []
      : [
          { report: APPLICATIONS, schema: 'ManicTime/Applications' },
          { report: DOCUMENTS, schema: 'ManicTime/Documents' },
          { report: TAGS, schema: 'ManicTime/Tags' },
          ...(index === 1 ? [{ report: USAGE, schema: 'ManicTime/ComputerUsage' }] : []),
        ]),
  ]);
  return {
    timelines: more.flatMap((timelines, index) =>
      timelines.map(({ report, schema }) => ({
        report: report + index * 20,
        schema,
        environment: index + 1,
      })),
    ),
    applications: stored(['application']),
    documents: stored(['site', 'file', 'plugin']),
    tags: stored(['tag']),
    usage: stored(['state']),
  };
}

const TYPES: Readonly<Partial<Record<PlannedRow['kind'], NonNullable<FixtureRow['type']>>>> = {
  site: 'ManicTime/WebSites',
  file: 'ManicTime/Files',
};

function rowOf(
  { start, end, device, kind, group, name, id, report, relatedId }: PlannedRow,
  localOf: PlannedDatabase['localOf'],
): FixtureRow {
  const [localStart, localEnd] = [localOf(device, start), localOf(device, end)];
  const type = TYPES[kind];
  return {
    from: stampOf(localStart),
    to: stampOf(localEnd),
    offset: (localStart - start) / HOUR,
    endOffset: (localEnd - end) / HOUR,
    id,
    report,
    name: name ?? null,
    ...(group === undefined ? {} : { group }),
    ...(type === undefined ? {} : { type }),
    ...(relatedId === undefined ? {} : { relatedId }),
  };
}

/** Writes the database, and empty files of screenshots that were taken at some instants. */
export function writePlanned(
  folder: string,
  { fixture, localOf }: PlannedDatabase,
  shots: readonly number[],
  more: Fixture,
): void {
  writeFixture(folder, { ...fixture, ...more });
  for (const [sequence, instant] of shots.entries()) {
    const local = localOf(1, instant);
    const target = join(folder, 'Screenshots', formatDate(local));
    mkdirSync(target, { recursive: true });
    const offset = (local - instant) / MINUTE;
    const stem = stemOf({ local, offset, width: 800, height: 600, sequence, monitor: 0 });
    writeFileSync(join(target, `${stem}.jpg`), '');
  }
}

/** Local time of a UTC instant. Clocks change between two quarters of an hour. */
function localClock(zone: string): (utc: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const offsets = new Map<number, number>();
  const offsetOf = (quarter: number) =>
    Date.parse(`${format.format(quarter * 1000).replace(' ', 'T')}Z`) / 1000 - quarter;
  return (utc) => {
    const quarter = utc - (utc % 900);
    return utc + getOrAdd(offsets, quarter, () => offsetOf(quarter));
  };
}

/** The end of a row that starts at a time: a row over a change of the clock does not tell when it was. */
function endBeforeChange(start: number, end: number, local: (utc: number) => number): number {
  const shift = local(start) - start;
  let last = end;
  while (last > start && local(last) - last !== shift) last -= 1;
  return Math.min(last, end);
}

function stampOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}
