import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { temporaryFolder } from '@deskside/core/testing';
import { expect, test } from 'vitest';
import { BROWSERS } from './catalog.ts';
import { writeDatabase } from './database.ts';
import type { DataOptions } from './options.ts';

interface Row {
  readonly id: number;
  readonly timeline: string;
  /** Local time, `yyyy-MM-dd HH:mm:ss`. */
  readonly from: string;
  readonly to: string;
  /** UTC seconds. */
  readonly start: number;
  readonly end: number;
  readonly name: string | null;
  readonly group: string | null;
  readonly type: string | null;
  readonly commonId: number | null;
  readonly relatedId: number | null;
}

interface Sum {
  readonly hour: string;
  readonly commonId: number;
  readonly seconds: number;
}

const TABLES = { applications: 'Application', sites: 'WebSite', files: 'Document' } as const;

function contentOf(options: Partial<DataOptions>) {
  using folder = temporaryFolder();
  const file = writeDatabase({
    folder: folder.path,
    profile: 'light',
    days: 3,
    until: '2026-03-31',
    seed: 1,
    ...options,
  });
  expect(existsSync(`${file}-wal`)).toBe(false);
  const database = new Database(file, { readonly: true });
  const rows = database
    .prepare<[], Row>(
      `SELECT ActivityId AS id, replace(SchemaName, 'ManicTime/', '') AS timeline, StartLocalTime AS "from", EndLocalTime AS "to",
              unixepoch(StartUtcTime) AS start, unixepoch(EndUtcTime) AS end, a.Name AS name, g.Name AS "group", GroupType AS type,
              CommonGroupId AS commonId, RelatedActivityId AS relatedId
         FROM Ar_Activity a JOIN Ar_Timeline t USING (ReportId) LEFT JOIN Ar_Group g USING (ReportId, GroupId)
        ORDER BY timeline, start, id`,
    )
    .all();
  const sums = (table: string) =>
    database
      .prepare<[], Sum>(
        `SELECT Hour AS hour, CommonId AS commonId, TotalSeconds AS seconds FROM Ar_${table}ByDay ORDER BY 1, 2`,
      )
      .all();
  const read = { rows, sums: Object.fromEntries(Object.values(TABLES).map((table) => [table, sums(table)])) };
  database.close();
  return read;
}

const of = (rows: readonly Row[], timeline: string) => rows.filter((row) => row.timeline === timeline);

function localSeconds(text: string): number {
  return Date.parse(`${text.replace(' ', 'T')}Z`) / 1000;
}

function clock(timeZone: string): (seconds: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (seconds) => format.format(seconds * 1000);
}

/** Days around both changes of the clock and both trips. */
const PERIODS = ['2026-02-16', '2026-03-31', '2026-06-16', '2026-10-27'];

test.each(PERIODS)(
  'local times are those of Berlin, and of Singapore during the trips of February and June (%s)',
  (until) => {
    const { rows } = contentOf({ days: 8, until });
    const home = clock('Europe/Berlin');
    const away = clock('Asia/Singapore');
    const local = (seconds: number) => {
      const utc = new Date(seconds * 1000).toISOString();
      return (/^2026-0[26]-1[0-4]/.test(utc) ? away : home)(seconds);
    };
    for (const { from, to, start, end } of rows) expect([from, to]).toEqual([local(start), local(end)]);
  },
);

test.each(PERIODS)(
  "ManicTime's own totals are a count of every second: active, and of the first of two windows (%s)",
  (until) => {
    const { rows, sums } = contentOf({ days: 3, until });
    const active = new Set<number>();
    for (const { start, end, group } of of(rows, 'ComputerUsage'))
      if (group === 'Active') for (let at = start; at < end; at += 1) active.add(at);
    const pages = new Map(of(rows, 'Documents').map((row) => [row.relatedId, row]));
    const counted = new Map<string, Map<string, number>>();
    const taken = new Set<number>();
    for (const window of of(rows, 'Applications')) {
      const page = pages.get(window.id);
      const offset = localSeconds(window.from) - window.start;
      for (let at = window.start; at < window.end; at += 1) {
        if (!active.has(at) || taken.has(at)) continue;
        taken.add(at);
        const hour = `${new Date((at + offset) * 1000).toISOString().slice(0, 13).replace('T', ' ')}:00:00`;
        const add = (table: string, id: number | null) => {
          const ofTable = counted.get(table) ?? new Map<string, number>();
          counted.set(table, ofTable.set(`${hour} ${id}`, (ofTable.get(`${hour} ${id}`) ?? 0) + 1));
        };
        add(TABLES.applications, window.commonId);
        if (page?.type === 'ManicTime/WebSites') add(TABLES.sites, page.commonId);
        if (page?.type === 'ManicTime/Files') add(TABLES.files, page.commonId);
      }
    }
    for (const table of Object.values(TABLES)) {
      const stored = sums[table]?.map(({ hour, commonId, seconds }) => [`${hour} ${commonId}`, seconds]);
      expect(stored?.length).toBeGreaterThan(10);
      expect(new Map(stored as [string, number][])).toEqual(counted.get(table));
    }
  },
);

test.each(PERIODS)(
  'states follow each other, pages are those of their windows, and tags lie in active time (%s)',
  (until) => {
    const { rows } = contentOf({ days: 8, until });
    const states = of(rows, 'ComputerUsage');
    for (const [index, { start, end, name, group }] of states.entries()) {
      expect(end).toBeGreaterThan(start);
      expect(name).toBe(group);
      if (index > 0) expect(start).toBe(states[index - 1]?.end);
    }
    expect(new Set(states.map(({ group }) => group)).size).toBeGreaterThan(2);
    const windows = new Map(of(rows, 'Applications').map((row) => [row.id, row]));
    for (const { start, end, relatedId, type, name, group } of of(rows, 'Documents')) {
      const window = windows.get(relatedId ?? 0);
      expect(window).toMatchObject({ start, end });
      const isChat = ['Teams', 'Slack'].includes(window?.group ?? '');
      if (BROWSERS.has(window?.group ?? '')) expect(type).toBe('ManicTime/WebSites');
      expect(type === 'ManicTime/Chat').toBe(isChat);
      if (type === 'ManicTime/WebSites') expect(name).toMatch(new RegExp(`^https://${group}/page/\\d+$`));
      if (type === 'ManicTime/Files') expect(name).toBe(`C:\\Users\\me\\Documents\\${group}`);
    }
    const active = states.filter(({ group }) => group === 'Active');
    for (const { start, end } of of(rows, 'Tags')) {
      expect(end).toBeGreaterThan(start);
      expect(active.some((state) => state.start <= start && end <= state.end)).toBe(true);
    }
  },
);
