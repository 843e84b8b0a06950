import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { writeFixture } from '../testing/fixture.ts';
import { DAY as JANUARY, openTestServer, row, served } from '../testing/test-server.ts';

const DAY = { startDate: '2025-10-26', endDate: '2025-10-27' };

interface Listing {
  readonly screenshots: {
    screenshotRef: string;
    timestamp: string;
    displayLocalTime: string;
    monitor: number;
    hasThumbnail: boolean;
  }[];
  readonly sampling: string;
  readonly truncation: unknown;
  readonly diagnostics: { reasonCode?: string };
}

function folderWith(...names: readonly string[]): string {
  const folder = join(temporaryFolder(), 'Zeit Übung #1 %41 日本');
  mkdirSync(folder);
  writeFixture(folder, {});
  for (const name of names) {
    const file = join(folder, 'Screenshots', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
  return folder;
}

async function list(folder: string, args: Record<string, unknown> = {}): Promise<Listing> {
  await using server = openTestServer(folder);
  return (await server.answer('list_screenshots', { ...DAY, ...args })) as unknown as Listing;
}

test('list_screenshots reads day folders and single files as one list, with an image and its thumbnail as one entry', async () => {
  const folder = folderWith(
    '2025-10-26/2025-10-26_09-00-00_01-00_800_600_1_0.jpg',
    '2025-10-26/2025-10-26_09-00-00_01-00_800_600_1_0.thumbnail.jpg',
    '2025-10-26_10-00-00_+01-00_800_600_2_0.jpg',
    '2025-10-26/2025-10-26_11-00-00_01-00_800_600_3_0.thumbnail.jpg',
    '2025-10-27/2025-10-27_00-00-00_01-00_800_600_4_0.jpg',
    '2025-10-26/notes.txt',
  );
  const { screenshots, truncation } = await list(folder);
  expect(screenshots.map(({ displayLocalTime, hasThumbnail }) => [displayLocalTime, hasThumbnail])).toEqual([
    ['2025-10-26 09:00:00', true],
    ['2025-10-26 10:00:00', false],
    ['2025-10-26 11:00:00', true],
  ]);
  expect(truncation).toEqual({ truncated: false, returnedCount: 3, totalAvailable: 3 });
});

test('list_screenshots orders screenshots of a repeated hour correctly and includes all monitors', async () => {
  const folder = folderWith(
    '2025-10-26/2025-10-26_02-30-00_01-00_800_600_3_0.jpg',
    '2025-10-26/2025-10-26_02-30-00_02-00_800_600_1_0.jpg',
    '2025-10-26/2025-10-26_02-30-00_02-00_800_600_2_1.jpg',
  );
  const { screenshots } = await list(folder);
  expect(screenshots.map(({ timestamp, monitor }) => [timestamp, monitor])).toEqual([
    ['2025-10-26T02:30:00+02:00', 0],
    ['2025-10-26T02:30:00+02:00', 1],
    ['2025-10-26T02:30:00+01:00', 0],
  ]);
  expect(new Set(screenshots.map(({ screenshotRef }) => screenshotRef)).size).toBe(3);
});

test('list_screenshots accepts date-times: start inclusive, end exclusive', async () => {
  const folder = folderWith(
    ...['14-55', '15-00', '15-05'].map((time) => `2025-10-26/2025-10-26_${time}-00_01-00_800_600_1_0.jpg`),
  );
  const near = { startDate: '2025-10-26T14:55:00', endDate: '2025-10-26T15:05:00' };
  expect((await list(folder, near)).screenshots).toHaveLength(2);
});

test.each([
  '2025-10-26/2025-10-26_09-00-00_01-00_800_600_1_0.jpg',
  '2025-10-26_09-02-00_+01-00_800_600_1_0.jpg',
  '2025-10-26/2025-10-26_09-03-00_-05-30_800_600_1_0.thumbnail.jpg',
  '2025-10-26/2025-10-26_09-04-00_01-00_0800_0600_0001_0.jpg',
  '2025-10-26/2025-10-26_09-05-00_01-00_800_600_1_0.JPEG',
  '2025-10-26/2025-10-26_09-06-00_-00-00_800_600_1_0.jpg',
])('a screenshotRef is valid in another server until its file is deleted: %s', async (name) => {
  const folder = folderWith(name);
  const { screenshots } = await list(folder);
  const args = { screenshotRef: screenshots[0]?.screenshotRef };
  await using server = openTestServer(folder);
  // The file exists, but it is empty.
  expect(
    await server.failure('crop_screenshot', { ...args, x: 0, y: 0, width: 50, height: 50 }),
  ).not.toMatchObject({ code: 'NOT_FOUND' });
  rmSync(join(folder, 'Screenshots', name));
  expect(await server.failure('get_screenshot', args)).toMatchObject({ code: 'NOT_FOUND' });
});

test.each([
  [['2025-10-27/2025-10-27_09-00-00_01-00_800_600_1_0.jpg'], 'Retention'],
  [['2025-10-25/2025-10-25_09-00-00_01-00_800_600_1_0.jpg'], 'NoScreenshotsInRange'],
  [['2025-10-26/2025-10-25_09-00-00_01-00_800_600_1_0.jpg'], 'NoScreenshotsInRange'],
] as const)('list_screenshots with the files %j is empty with the reason %s', async (names, reasonCode) => {
  expect(await list(folderWith(...names))).toMatchObject({
    screenshots: [],
    diagnostics: { degraded: false, reasonCode, remediationHint: expect.any(String) },
  });
});

test.each([
  [[], 'ScreenshotDirectoryAbsent', 'CaptureDisabled'],
  [[''], 'ScreenshotDirectoryEmpty', 'Retention'],
  [['2025-10-26'], 'ScreenshotDirectoryEmpty', 'Retention'],
  [['2025-10-26/notes.txt'], 'ScreenshotDirectoryEmpty', 'Retention'],
] as const)(
  'list_screenshots, the narrative and health report a screenshots folder with only %j',
  async (names, reasonCode, reason) => {
    const folder = temporaryFolder();
    writeFixture(folder, { applications: [row('2025-10-26 09:00:00', '2025-10-26 10:00:00', 'Code')] });
    for (const name of names) mkdirSync(join(folder, 'Screenshots', name), { recursive: true });
    await using server = openTestServer(folder);
    for (const tool of ['list_screenshots', 'get_activity_narrative']) {
      expect(await server.answer(tool, DAY)).toMatchObject({
        diagnostics: { degraded: true, reasonCode, remediationHint: expect.any(String) },
      });
    }
    expect(
      await server.answer('get_daily_summary', { date: '2025-10-26', includeSegments: false }),
    ).toMatchObject({ diagnostics: { degraded: false } });
    expect(await server.resource('manictime://health')).toMatchObject({
      status: 'Degraded',
      screenshots: { status: 'Unavailable', reason, remediationHint: expect.any(String) },
      issues: expect.arrayContaining([expect.objectContaining({ code: reasonCode })]),
    });
  },
);

test('health reports the days that have screenshots, not empty folders', async () => {
  const folder = folderWith(
    '2025-10-26/2025-10-26_09-00-00_01-00_800_600_1_0.jpg',
    '2025-10-27/2025-10-27_09-00-00_01-00_800_600_1_0.jpg',
  );
  for (const day of ['2025-10-20', '2025-10-30']) mkdirSync(join(folder, 'Screenshots', day));
  await using server = openTestServer(folder);
  expect(await server.resource('manictime://health')).toMatchObject({
    screenshots: { status: 'Available', firstDay: '2025-10-26', lastDay: '2025-10-27' },
  });
});

function nameAt(minute: string): string {
  return `2025-10-26_09-${minute}-00_01-00_800_600_1_0.jpg`;
}

test('list_screenshots omits links out of the screenshots folder and follows links inside it', async () => {
  const folder = folderWith(`2025-10-26/${nameAt('01')}`, `store/${nameAt('02')}`);
  const outside = folderWith(nameAt('03'), `2025-10-27/2025-10-27_09-00-00_01-00_800_600_1_0.jpg`);
  const shots = join(folder, 'Screenshots');
  const day = join(shots, '2025-10-26');
  symlinkSync(join(shots, 'store', nameAt('02')), join(day, nameAt('02')));
  symlinkSync(join(outside, 'Screenshots', nameAt('03')), join(day, nameAt('03')));
  symlinkSync(join(outside, 'missing'), join(day, nameAt('04')));
  mkdirSync(join(day, nameAt('05')));
  symlinkSync(join(outside, 'Screenshots', '2025-10-27'), join(shots, '2025-10-27'));
  const { screenshots } = await list(folder, { endDate: '2025-10-28' });
  expect(screenshots.map(({ displayLocalTime }) => displayLocalTime.slice(11, 16))).toEqual([
    '09:01',
    '09:02',
  ]);
});

test('the screenshots folder can be set, and new files are listed by the next call', async () => {
  const day = join(temporaryFolder(), '2025-10-26');
  mkdirSync(day, { recursive: true });
  await using server = openTestServer(folderWith(), { screenshotsDir: dirname(day) });
  for (const second of ['01', '02']) {
    writeFileSync(join(day, `2025-10-26_09-00-${second}_01-00_800_600_1_0.jpg`), '');
    expect(await server.answer('list_screenshots', DAY)).toMatchObject({
      truncation: { totalAvailable: Number(second) },
    });
  }
});

/** The time of day, so long after nine. */
const after = (minute: number, second = 0) =>
  new Date((540 + minute) * 60_000 + second * 1000).toISOString().slice(11, 19);
const MINUTES = Array.from({ length: 100 }, (_, minute) => after(minute));

test.each([
  ['at even distances', { samplingStrategy: 'interval', maxCount: 4 }, [], [0, 33, 66, 99]],
  ['of one moment', { samplingStrategy: 'interval', maxCount: 1 }, [], [0]],
  ['at even distances without a change', { maxCount: 5 }, [], [0, 25, 50, 74, 99]],
  [
    'within two minutes of a change, each once',
    { maxCount: 10 },
    [after(3, 10), after(3, 20), after(49, 40), after(99, 200)],
    [3, 50],
  ],
  ['of changes over the whole range', { maxCount: 5 }, MINUTES, [0, 25, 50, 74, 99]],
])('list_screenshots has screenshots %s', async (_, args, changes, minutes) => {
  const times = ['08:00:00', ...changes, '12:00:00'];
  const applications = times.slice(1).map((to, index) => row(times[index] ?? '', to, `App ${index % 2}`));
  await using server = served({ applications, shots: MINUTES });
  const { screenshots, sampling } = (await server.answer('list_screenshots', {
    ...JANUARY,
    ...args,
  })) as unknown as Listing;
  expect(screenshots.map(({ displayLocalTime }) => displayLocalTime.slice(11))).toEqual(
    minutes.map((minute) => after(minute)),
  );
  expect(sampling).toBe(changes.length === 0 ? 'interval' : 'activity_transition');
});

test('list_screenshots keeps the monitors of one moment together', async () => {
  const names = MINUTES.slice(0, 50).flatMap((time) =>
    [0, 1].map((monitor) => `2025-10-26_${time.replaceAll(':', '-')}_01-00_800_600_1_${monitor}.jpg`),
  );
  const { screenshots } = await list(folderWith(...names), { maxCount: 6, samplingStrategy: 'interval' });
  const found = screenshots.map(
    ({ displayLocalTime, monitor }) => `${displayLocalTime.slice(14, 16)}/${monitor}`,
  );
  expect(found).toEqual(['00/0', '00/1', '25/0', '25/1', '49/0', '49/1']);
});

test('list_screenshots finds changes of the window also if the database has local times only', async () => {
  const shots = ['09-00', '09-10', '09-20', '10-00', '10-10', '10-20'];
  const folder = folderWith(
    ...shots.map((time, index) => `2025-10-26/2025-10-26_${time}-00_01-00_800_600_${index}_0.jpg`),
  );
  rmSync(join(folder, 'ManicTimeReports.db'));
  writeFixture(folder, {
    applications: [
      row('2025-10-26 09:00:00', '2025-10-26 09:10:00', 'Code'),
      row('2025-10-26 09:10:00', '2025-10-26 11:00:00', 'Mail'),
    ],
    sql: 'UPDATE Ar_Activity SET StartUtcTime = NULL, EndUtcTime = NULL',
  });
  const { screenshots, sampling } = await list(folder, { maxCount: 2 });
  expect(sampling).toBe('activity_transition');
  expect(screenshots.map(({ displayLocalTime }) => displayLocalTime)).toEqual(['2025-10-26 09:10:00']);
});

test('database and screenshots of a portable installation are found, also if the first is taken after the first call', async () => {
  const folder = temporaryFolder();
  writeFixture(join(folder, 'Data'), {});
  await using server = openTestServer(folder);
  expect((await server.answer('get_timelines'))['timelines']).toHaveLength(4);
  expect(await server.answer('list_screenshots', DAY)).toMatchObject({
    diagnostics: { reasonCode: 'ScreenshotDirectoryAbsent' },
  });
  const shots = join(folder, 'Data', 'Screenshots', '2025-10-26');
  mkdirSync(shots, { recursive: true });
  writeFileSync(join(shots, '2025-10-26_09-00-00_01-00_800_600_1_0.jpg'), '');
  expect(await server.answer('list_screenshots', DAY)).toMatchObject({
    screenshots: [{ displayLocalTime: '2025-10-26 09:00:00' }],
  });
});
