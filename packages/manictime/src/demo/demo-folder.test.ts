import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fixedClock } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DATABASE_NAME } from '../database/file.ts';
import { jpegSize } from '../screenshots/images/codec.ts';
import { callsOf, openTestServer } from '../testing/test-server.ts';
import { DemoFolder } from './demo-folder.ts';

interface Row {
  readonly timeline: string;
  readonly id: number;
  readonly name: string;
  readonly group: string | null;
  readonly type: string | null;
  readonly related: number | null;
  /** `yyyy-MM-dd HH:mm:ss` */
  readonly from: string;
  readonly to: string;
  /** UTC seconds. */
  readonly start: number;
  readonly end: number;
}

function rowsIn(folder: string): Row[] {
  const database = new Database(join(folder, DATABASE_NAME), { readonly: true });
  const rows = database
    .prepare<[], Row>(
      `SELECT replace(SchemaName, 'ManicTime/', '') AS timeline, ActivityId AS id, a.Name AS name, g.Name AS "group",
              GroupType AS type, RelatedActivityId AS related, StartLocalTime AS "from", EndLocalTime AS "to",
              unixepoch(StartUtcTime) AS start, unixepoch(EndUtcTime) AS end
         FROM Ar_Activity a JOIN Ar_Timeline t USING (ReportId) LEFT JOIN Ar_Group g USING (GroupId)
        ORDER BY timeline, start`,
    )
    .all();
  database.close();
  return rows;
}

const of = (rows: readonly Row[], timeline: string) => rows.filter((row) => row.timeline === timeline);

function shotsIn(folder: string): string[] {
  const root = join(folder, 'Screenshots');
  return readdirSync(root).flatMap((day) => readdirSync(join(root, day)).map((name) => `${day}/${name}`));
}

/** Demo data of a moment on the clock of a time zone. */
async function demoAt(now: string, zone = 'Europe/Berlin') {
  vi.stubEnv('TZ', zone);
  onTestFinished(() => void vi.unstubAllEnvs());
  const clock = { now: () => new Date(now) };
  const demo = new DemoFolder(clock);
  onTestFinished(() => demo[Symbol.asyncDispose]());
  const path = await demo.path();
  return { demo, path, rows: rowsIn(path), shots: shotsIn(path) };
}

test.each([
  // 8 seconds before the first window of the day.
  '2026-11-09T08:52:20',
  '2026-11-15T00:00:30',
  '2026-11-19T12:30:00',
  '2027-01-01T23:59:59',
])('at %s, demo data end now, have no gap, and screenshots of their windows only', async (now) => {
  const { rows, shots } = await demoAt(now);
  const seconds = new Date(now).getTime() / 1000;
  const states = of(rows, 'ComputerUsage');
  expect(states.at(-1)?.end).toBe(seconds);
  expect(Math.max(...rows.map(({ end }) => end))).toBe(seconds);
  for (const [index, { start, end, name, group }] of states.entries()) {
    expect(end).toBeGreaterThan(start);
    expect(name).toBe(group);
    if (index > 0) expect(start).toBe(states[index - 1]?.end);
  }
  // 21 days with today.
  const active = states.filter(({ name }) => name === 'Active');
  expect(new Set(active.map(({ from }) => from.slice(0, 10))).size).toBeGreaterThanOrEqual(20);
  expect(shots.length).toBeGreaterThan(50);
  for (const shot of shots) {
    const [, time = ''] = /\/(.{19})_01-00_1024_576_/.exec(shot) ?? [];
    const taken = `${time.slice(0, 10)} ${time.slice(11).replaceAll('-', ':')}`;
    expect(taken <= now.replace('T', ' ')).toBe(true);
    expect(of(rows, 'Applications').some(({ from, to }) => from <= taken && taken < to)).toBe(true);
  }
});

/** Days of a clock change and others. Lord Howe Island changes by half an hour. */
test.each([
  ['Europe/Berlin', '2026-03-29T12:00:00Z'],
  ['America/New_York', '2026-11-01T18:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-05T01:00:00Z'],
  ['Pacific/Kiritimati', '2026-11-20T03:00:00Z'],
])('in %s, local times at %s are those of the zone', async (timeZone, now) => {
  const { rows, shots } = await demoAt(now, timeZone);
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  expect(rows.length).toBeGreaterThan(1500);
  for (const { from, to, start, end } of rows)
    expect([from, to]).toEqual([format.format(start * 1000), format.format(end * 1000)]);
  const windows = of(rows, 'Applications');
  for (const shot of shots) {
    const [, time = '', sign = '', hours, minutes] = /\/(.{19})_(-?)(\d\d)-(\d\d)_/.exec(shot) ?? [];
    const seconds = Date.parse(`${time.slice(0, 10)}T${time.slice(11).replaceAll('-', ':')}Z`) / 1000;
    const instant = seconds - Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60);
    expect(windows.some(({ start, end }) => start <= instant && instant < end)).toBe(true);
  }
});

test('while a server runs, the data go on as if it had started now, also into the next day', async () => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  onTestFinished(() => void vi.unstubAllEnvs());
  let now = '2026-11-19T09:10:00';
  const clock = { now: () => new Date(now) };
  await using demo = new DemoFolder(clock);
  const path = await demo.path();
  for (now of ['2026-11-19T09:10:40', '2026-11-19T14:20:00', '2026-11-20T00:30:00', '2026-11-20T11:45:10']) {
    expect(await demo.path()).toBe(path);
    await using fresh = new DemoFolder(clock);
    const [grown, expected] = [rowsIn(path), rowsIn(await fresh.path())];
    if (now.endsWith('09:10:40')) expect(grown.at(-1)?.to).toBe('2026-11-19 09:10:00');
    else {
      expect(grown.filter(({ from }) => from >= '2026-10-31')).toEqual(
        expected.filter(({ from }) => from >= '2026-10-31'),
      );
      expect(shotsIn(path)).toEqual(expect.arrayContaining(shotsIn(await fresh.path())));
      expect(new Set(shotsIn(path)).size).toBe(shotsIn(path).length);
    }
  }
});

function sizesOf(result: unknown) {
  const { content } = result as { content: { type: string; data?: string }[] };
  return content.flatMap(({ type, data = '' }) =>
    type === 'image' ? [jpegSize(Buffer.from(data, 'base64'))] : [],
  );
}

test('tools answer from demo data without a diagnostic, and a screenshot can be shown', async () => {
  const clock = fixedClock(new Date('2026-11-20T13:05:00').toISOString());
  await using server = openTestServer('', { demo: true }, { clock });
  const day = { startDate: 'yesterday', endDate: 'yesterday' };
  for (const [tool, args] of callsOf('yesterday', 'yesterday'))
    if (tool !== 'render_day')
      expect(await server.answer(tool, args), tool).toMatchObject({ diagnostics: { degraded: false } });
  const { screenshots } = await server.answer('list_screenshots', { ...day, maxCount: 100 });
  expect((screenshots as object[]).length).toBeGreaterThan(50);
  const [{ screenshotRef }] = screenshots as [{ screenshotRef: string }];
  expect(sizesOf(await server.result('get_screenshot', { screenshotRef }))).toEqual([
    { width: 320, height: 180 },
    { width: 1024, height: 576 },
  ]);
});

test('the pictures of the demo are those that its windows show', () => {
  const data = join(import.meta.dirname, 'data');
  const database = new Database(join(data, 'weeks.sqlite'), { readonly: true });
  const shown = database
    .prepare<[], string>('SELECT DISTINCT Picture FROM Demo_Row WHERE Picture IS NOT NULL')
    .pluck()
    .all();
  database.close();
  const pictures = readdirSync(join(data, 'pictures'));
  expect(pictures.toSorted()).toEqual(
    shown.flatMap((name) => [`${name}.jpg`, `${name}.thumbnail.jpg`]).toSorted(),
  );
});
