import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomOf } from '@deskside/core/testing/random';
import type { ColumnLayout } from './generator/options.ts';
import { DatabaseWriter } from './generator/writer.ts';
import { APPLICATIONS, DOCUMENTS, TAGS, USAGE } from './fixture.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

/** A stored row. Instants are UTC seconds, local times are seconds on the local clock. */
export interface RandomRow {
  readonly id: number;
  readonly start: number;
  readonly end: number;
  readonly localStart: number;
  readonly localEnd: number;
  /** Name of the group: application, website, file or state. */
  readonly group: string;
  readonly name: string;
  readonly relatedId?: number;
}

export interface RandomDatabase {
  readonly layout: ColumnLayout;
  readonly index: 'report and start' | 'start' | 'none';
  readonly zone: string;
  /** Local midnights of the days. */
  readonly days: readonly number[];
  readonly applications: readonly RandomRow[];
  readonly documents: readonly RandomRow[];
  readonly usage: readonly RandomRow[];
  readonly tags: readonly RandomRow[];
  /** ManicTime's own totals of applications: local time, application, seconds. Some days are missing or wrong. */
  readonly sums: readonly { readonly time: number; readonly group: string; readonly seconds: number }[];
  readonly shots: readonly { readonly instant: number; readonly local: number }[];
}

/** First days of weeks in which clocks change in one of the zones, and of a week in which none does. */
const WEEKS = ['2025-03-28', '2025-10-24', '2025-03-07', '2025-10-31', '2025-06-13'];
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'UTC'];
const APPS = ['Editor', 'Browser', 'Chat', 'Vault', 'Mail'];
const SITES = ['news.example', 'www.bank.example', 'wiki.example'];
const FILES = ['plan.md', 'notes.txt'];

/** Each seed has another layout, index, time zone and order of ids. */
export function randomDatabase(seed: number): RandomDatabase {
  const random = randomOf(seed);
  const layout = seed % 2 === 0 ? 'current' : 'earlier';
  const index = (['report and start', 'none', 'start'] as const)[Math.floor(seed / 2) % 3] ?? 'none';
  const zone = ZONES[seed % 4] ?? 'UTC';
  const local = localClock(zone);
  const first = Date.parse(WEEKS[Math.floor(seed / 4) % WEEKS.length] ?? '') / 1000;
  const days = Array.from({ length: 4 }, (_, day) => first + day * DAY);
  const begin = first - local(first) + first;
  const row = (id: number, start: number, length: number, group: string, name: string) => {
    const end = endBeforeChange(start, start + length, local);
    return { id, start, end, localStart: local(start), localEnd: local(end), group, name };
  };
  const pick = (names: readonly string[]) => names[random(names.length)] ?? '';
  const applications: RandomRow[] = [];
  const documents: RandomRow[] = [];
  const usage: RandomRow[] = [];
  const tags: RandomRow[] = [];
  const expired = random(3) === 0 ? days[1] : undefined;
  const isExpired = (start: number, end: number) =>
    expired !== undefined && local(end) > expired && local(start) < expired + DAY;

  for (let at = begin + random(8 * HOUR); at < begin + 4 * DAY - 6 * HOUR;) {
    const length = random(20) === 0 ? random(5 * HOUR) : random(40 * 60);
    const group = pick(APPS);
    const title = random(6) === 0 ? 'My salary' : `${group} window`;
    // Rows are also written late: their ids are the highest.
    const id = random(15) === 0 ? 5000 + applications.length : 100 + applications.length;
    const window = row(id, at, length, group, title);
    if (!isExpired(window.start, window.end)) {
      applications.push(window);
      if (group !== 'Vault' && random(3) > 0) {
        const [shift, more] = [random(3) === 0 ? random(300) : 0, random(5) === 0 ? random(900) : 0];
        const isSite = group === 'Browser' || random(3) === 0;
        const content = isSite ? pick(SITES) : pick(FILES);
        const page = row(
          100 + documents.length,
          at + shift,
          Math.max(0, length - shift + more),
          content,
          isSite ? `https://${content}/` : content,
        );
        const isLinked = layout === 'current' && random(4) > 0;
        documents.push(isLinked ? { ...page, relatedId: id } : page);
      }
    }
    // Some rows overlap the row before, some leave a gap.
    at += [length, length, length, Math.floor(length / 2), length + random(HOUR)][random(5)] ?? length;
  }
  for (let at = begin; at < begin + 4 * DAY - 12 * HOUR;) {
    const length = random(3 * HOUR);
    const state = ['Active', 'Active', 'Active', 'Away', 'Session lock'][random(5)] ?? 'Active';
    usage.push(row(100 + usage.length, at, length, state, state));
    at += length + (random(6) === 0 ? random(HOUR) : 0);
  }
  for (let index = 0; index < 40; index += 1) {
    const start = begin + random(4 * DAY);
    const name = pick(['Client A', 'Client B', 'Salary talk', 'Sprint']);
    tags.push(row(100 + index, start, index === 0 ? 3 * DAY : random(4 * HOUR), '', name));
  }
  const sums = days
    .filter((day) => day === expired || random(2) === 0)
    .flatMap((day) =>
      [9, 10, 14].map((hour) => ({
        time: day + hour * HOUR,
        group: pick(APPS),
        seconds: 600 + random(3000),
      })),
    );
  const shots = Array.from({ length: 60 }, () => begin + random(4 * DAY)).map((instant) => ({
    instant,
    local: local(instant),
  }));
  return { layout, index, zone, days, applications, documents, usage, tags, sums, shots };
}

const INDEXES: Readonly<Record<RandomDatabase['index'], string | undefined>> = {
  'report and start': 'ReportId, StartLocalTime',
  start: 'StartLocalTime',
  none: undefined,
};

/** Local time of a UTC instant. */
export function localClock(zone: string): (utc: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return perQuarter((utc) => Date.parse(`${format.format(utc * 1000).replace(' ', 'T')}Z`) / 1000 - utc);
}

/** The end of a row that starts at a time: a row over a change of the clock does not tell when it was. */
export function endBeforeChange(start: number, end: number, local: (utc: number) => number): number {
  const shift = local(start) - start;
  let last = end;
  while (last > start && local(last) - last !== shift) last -= 1;
  return Math.min(last, end);
}

/** Local time of every second, with one look at the offset per quarter of an hour: clocks change between two. */
export function perQuarter(offsetAt: (utc: number) => number): (utc: number) => number {
  const offsets = new Map<number, number>();
  return (utc) => {
    const quarter = utc - (utc % 900);
    const offset = offsets.get(quarter) ?? offsetAt(quarter);
    offsets.set(quarter, offset);
    return utc + offset;
  };
}

export function stampOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

/** Writes the database and empty screenshot files. Rows of all timelines are written in random order. */
export function writeRandomDatabase(folder: string, database: RandomDatabase, seed: number): void {
  const { layout, applications, documents, usage, tags, sums, shots } = database;
  mkdirSync(folder, { recursive: true });
  using writer = new DatabaseWriter(folder, { layout, index: INDEXES[database.index] });
  const groups = new Map([...APPS, ...SITES, ...FILES].map((name, at) => [name, at + 1]));
  for (const [name, id] of groups) writer.commonGroup(groupOf(id, name));
  const timelines = [
    [APPLICATIONS, 'ManicTime/Applications', applications],
    [DOCUMENTS, 'ManicTime/Documents', documents],
    [USAGE, 'ManicTime/ComputerUsage', usage],
    [TAGS, 'ManicTime/Tags', tags],
  ] as const;
  writer.database.transaction(() => {
    for (const [report, schema, rows] of timelines) {
      writer.timeline(report, schema, 1);
      const ids = new Map<string, number>();
      for (const { group } of rows) {
        if (group === '' || ids.has(group)) continue;
        const id = groups.get(group) ?? 50 + ids.size;
        ids.set(group, id);
        writer.group(report, groupOf(id, group), groups.get(group) ?? null);
      }
      const random = randomOf(seed + report);
      for (const row of rows.toSorted(() => random(3) - 1)) {
        const local = [stampOf(row.localStart), stampOf(row.localEnd)] as const;
        const utc = [stampOf(row.start), stampOf(row.end)] as const;
        writer.activity({ ...row, report, groupId: ids.get(row.group), local, utc });
      }
    }
    for (const { time, group, seconds } of sums)
      writer.sum('Application', stampOf(time), groups.get(group) ?? 0, seconds);
  })();
  for (const [number, { instant, local }] of shots.entries()) {
    const [day = '', clock = ''] = stampOf(local).split(' ');
    const shift = local - instant;
    const offset = `${shift < 0 ? '-' : ''}${twoDigits(Math.abs(shift) / HOUR)}-${twoDigits((Math.abs(shift) % HOUR) / 60)}`;
    mkdirSync(join(folder, 'Screenshots', day), { recursive: true });
    const name = `${day}_${clock.replaceAll(':', '-')}_${offset}_800_600_${number}_0.jpg`;
    writeFileSync(join(folder, 'Screenshots', day, name), '');
  }
}

function groupOf(id: number, name: string) {
  return { id, name, key: `${name};x`, color: '', type: typeOf(name) };
}

function typeOf(group: string): string | null {
  if (SITES.includes(group)) return 'ManicTime/WebSites';
  return FILES.includes(group) ? 'ManicTime/Files' : null;
}

function twoDigits(value: number): string {
  return String(Math.floor(value)).padStart(2, '0');
}
