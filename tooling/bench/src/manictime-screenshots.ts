import { writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manictimeServer, openManicTime } from '@deskside/manictime';
import { connectInProcess, firstText } from '@deskside/testkit';
import sharp from 'sharp';
import type { Benchmark, BenchmarkReport, Ratio } from './benchmark.ts';
import { LAST_DAY, withDataSet } from './manictime/data-sets.ts';
import { timed, timedInTurns } from './manictime/timed.ts';
import { loopRatios, WATCHED_METHOD, watchCalls, watchedTable } from './manictime/watched.ts';
import { median, minimum } from './statistics.ts';

const ROUNDS = 20;
const CROP_ROUNDS = 120;
const WIDTH = 2560;
const HEIGHT = 1440;
const DAY = { startDate: LAST_DAY, endDate: '2026-11-21' };
const REGION = { x: 25, y: 25, width: 50, height: 50 };
const WHOLE_YEAR = { startDate: '2025-11-21', endDate: '2026-11-21' };
const YEAR = { name: '', years: 1, startIndex: true, growingIds: true };

export const manictimeScreenshots: Benchmark = {
  name: 'manictime-screenshots',
  title: 'ManicTime: screenshots',
  run: () => withDataSet(YEAR, measure, 1),
};

async function measure(folder: string): Promise<BenchmarkReport> {
  const day = join(folder, 'Screenshots', LAST_DAY);
  const names = await readdir(day);
  await writeYear(join(folder, 'Screenshots'), names);
  const [name = ''] = names;
  const detailed = join(day, largeName(name, '08-59-58'));
  const flat = join(day, largeName(name, '08-59-59'));
  await writeFile(detailed, await detailedImage());
  await writeFile(flat, await flatImage());

  await using manictime = openManicTime({ dataDir: folder });
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  const first = await peer.callTool('list_screenshots', {
    startDate: `${LAST_DAY}T08:59:00`,
    endDate: `${LAST_DAY}T09:00:00`,
  });
  const [detailedShot, flatShot] = JSON.parse(firstText(first)).screenshots;
  const cropCalled = async ({ screenshotRef }: { screenshotRef: string }) => {
    const { content } = await peer.callTool('crop_screenshot', { screenshotRef, ...REGION });
    if (content[0]?.type !== 'image') throw new Error('The crop failed.');
  };
  const list = await timed(ROUNDS, () =>
    peer.callTool('list_screenshots', { ...DAY, samplingStrategy: 'interval' }),
  );
  const transitions = await timed(ROUNDS, () => peer.callTool('list_screenshots', DAY));
  const crops = await timedInTurns(CROP_ROUNDS, {
    detailed: () => cropCalled(detailedShot),
    detailedAlone: () => cropAlone(detailed),
    flat: () => cropCalled(flatShot),
    flatAlone: () => cropAlone(flat),
  });
  const { idle, watched } = await watchCalls(
    [{ name: 'listing of a million files', tool: 'list_screenshots', args: WHOLE_YEAR }],
    (tool, args) => peer.callTool(tool, args),
    folder,
  );
  const rows = [
    ['`list_screenshots`, interval', list],
    ['`list_screenshots`, activity transitions', transitions],
    ['`crop_screenshot`, detailed image', crops.detailed],
    ['sharp alone, detailed image', crops.detailedAlone],
    ['`crop_screenshot`, flat image', crops.flat],
    ['sharp alone, flat image', crops.flatAlone],
  ] as const;
  return {
    compared: `Listing a day of 960 screenshots in a folder with a million files of a year; cropping a quarter of ${WIDTH}x${HEIGHT} pixels, and the same work with sharp alone (read, crop, encode) in the same run. The detailed image takes as long to decode as a screen full of windows; the flat image has one color.`,
    method: `Tool calls of a real client in the same process, listings ${ROUNDS} times after a warm-up, crops ${CROP_ROUNDS} times in rounds of random order; wall time. The result contains the crop as base64. ${WATCHED_METHOD}`,
    tables: [
      {
        columns: ['Call', 'Minimum, ms', 'Median, ms'],
        rows: rows.map(([call, times]) => [call, minimum(times).toFixed(1), median(times).toFixed(1)]),
      },
      watchedTable(idle, watched),
    ],
    ratios: [
      {
        title: 'list_screenshots by transitions, to 100 ms',
        value: minimum(transitions) / 100,
        target: { atMost: 1 },
      },
      cropRatio('detailed', crops.detailed, crops.detailedAlone),
      cropRatio('flat', crops.flat, crops.flatAlone),
      ...loopRatios(idle, watched),
    ],
  };
}

function cropRatio(picture: string, crop: readonly number[], alone: readonly number[]): Ratio {
  const title = `crop_screenshot to sharp alone, ${picture} picture`;
  return { title, value: minimum(crop) / minimum(alone), target: { atMost: 1.2 } };
}

function largeName(name: string, time: string): string {
  return name
    .replace('.thumbnail', '')
    .replace('_1280_720_', `_${WIDTH}_${HEIGHT}_`)
    .replace('09-00-00', time);
}

/** A million empty files on the other days of a year: a listing does not open them. */
async function writeYear(root: string, ofDay: readonly string[]): Promise<void> {
  const second = ofDay.map((name) => name.replace('_0.', '_1.'));
  const names = [...ofDay, ...second].slice(0, Math.ceil(1_000_000 / 364));
  for (let back = 1; back < 365; back += 1) {
    const date = new Date(Date.parse(LAST_DAY) - back * 86_400_000).toISOString().slice(0, 10);
    await mkdir(join(root, date));
    for (const name of names) writeFileSync(join(root, date, name.replace(LAST_DAY, date)), '');
  }
}

/** Takes as long to decode as a screen full of windows: a few hundred kilobytes. */
function detailedImage(): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 200, sigma: 12 };
  const create = { width: WIDTH, height: HEIGHT, channels: 3 as const, background: 'white', noise };
  return sharp({ create }).jpeg({ quality: 80 }).toBuffer();
}

function flatImage(): Promise<Buffer> {
  const create = { width: WIDTH, height: HEIGHT, channels: 3 as const, background: 'lightblue' };
  return sharp({ create }).jpeg({ quality: 80 }).toBuffer();
}

async function cropAlone(file: string): Promise<void> {
  const region = { left: WIDTH / 4, top: HEIGHT / 4, width: WIDTH / 2, height: HEIGHT / 2 };
  await sharp(await readFile(file))
    .extract(region)
    .jpeg({ quality: 85 })
    .toBuffer();
}
