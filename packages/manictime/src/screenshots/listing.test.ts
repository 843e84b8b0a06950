import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { openCalled } from '../testing/call.ts';
import { writeFixture } from '../testing/fixture.ts';

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
  const folder = temporaryFolder();
  writeFixture(folder, {});
  for (const name of names) {
    const file = join(folder, 'Screenshots', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
  return folder;
}

async function list(folder: string, args: Record<string, unknown> = {}): Promise<Listing> {
  await using server = openCalled(folder);
  return (await server.answer('list_screenshots', { ...DAY, ...args })) as unknown as Listing;
}

test('day folders and files side by side are one list; a shot and its thumbnail are one entry', async () => {
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

test('shots of the hour that comes twice are told apart and stand in their order; monitors are all there', async () => {
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

test('datetimes narrow the range: start inclusive, end exclusive', async () => {
  const folder = folderWith(
    ...['14-55', '15-00', '15-05'].map((time) => `2025-10-26/2025-10-26_${time}-00_01-00_800_600_1_0.jpg`),
  );
  const near = { startDate: '2025-10-26T14:55:00', endDate: '2025-10-26T15:05:00' };
  expect((await list(folder, near)).screenshots).toHaveLength(2);
});

test.each([
  '2025-10-26/2025-10-26_09-00-00_01-00_800_600_1_0.jpg',
  '2025-10-26_09-00-00_01-00_800_600_1_0.jpg',
])('a reference outlives the server that gave it, and ends with its file %s', async (name) => {
  const folder = folderWith(name);
  const { screenshots } = await list(folder);
  const args = { screenshotRef: screenshots[0]?.screenshotRef };
  await using server = openCalled(folder);
  // The file is empty: found, and found to be no image.
  expect(
    await server.failure('crop_screenshot', { ...args, x: 0, y: 0, width: 50, height: 50 }),
  ).not.toMatchObject({ code: 'NOT_FOUND' });
  rmSync(join(folder, 'Screenshots', name));
  expect(await server.failure('get_screenshot', args)).toMatchObject({ code: 'NOT_FOUND' });
});

test.each([
  [[], 'ScreenshotDirectoryAbsent', true],
  [['2025-10-27/2025-10-27_09-00-00_01-00_800_600_1_0.jpg'], 'Retention', false],
  [['2025-10-25/2025-10-25_09-00-00_01-00_800_600_1_0.jpg'], 'NoScreenshotsInRange', false],
  [['2025-10-26/2025-10-25_09-00-00_01-00_800_600_1_0.jpg'], 'NoScreenshotsInRange', false],
] as const)('with %j the list is empty, because %s', async (names, reasonCode, degraded) => {
  expect(await list(folderWith(...names))).toMatchObject({
    screenshots: [],
    diagnostics: { degraded, reasonCode, remediationHint: expect.any(String) },
  });
});

test('an empty folder is said to be empty, in health too; a missing one as well', async () => {
  const folder = folderWith();
  mkdirSync(join(folder, 'Screenshots'));
  expect((await list(folder)).diagnostics.reasonCode).toBe('ScreenshotDirectoryEmpty');
  await using server = openCalled(folder);
  expect(await server.resource('manictime://health')).toMatchObject({
    screenshots: { status: 'Unavailable', reason: 'Retention', remediationHint: expect.any(String) },
  });
  rmSync(join(folder, 'Screenshots'), { recursive: true });
  expect(await server.resource('manictime://health')).toMatchObject({
    screenshots: { status: 'Unavailable', reason: 'CaptureDisabled' },
  });
});

test('another folder can be named, and what is added meanwhile is seen', async () => {
  const folder = folderWith();
  const elsewhere = join(temporaryFolder(), 'shots');
  mkdirSync(join(elsewhere, '2025-10-26'), { recursive: true });
  await using server = openCalled(folder, { screenshotsDir: elsewhere });
  const count = async () =>
    ((await server.answer('list_screenshots', DAY)) as unknown as Listing).screenshots.length;
  const day = join(elsewhere, '2025-10-26');
  const add = (second: string) =>
    writeFileSync(join(day, `2025-10-26_09-00-${second}_01-00_800_600_1_0.jpg`), '');
  for (const second of ['01', '02', '03']) {
    const before = await count();
    add(second);
    expect(await count()).toBe(before + 1);
  }
  // As if the clock of the file system stood still between two changes.
  const still = new Date('2100-01-01');
  utimesSync(day, still, still);
  expect(await count()).toBe(3);
  add('04');
  utimesSync(day, still, still);
  expect(await count()).toBe(4);
});
