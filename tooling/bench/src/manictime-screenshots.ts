import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manictimeServer, openManicTime } from '@deskside/manictime';
import { connectInProcess, firstText } from '@deskside/testkit';
import sharp from 'sharp';
import type { Benchmark, Figures } from './benchmark.ts';
import { LAST_DAY, withDataSet } from './data-sets.ts';
import { ratio, spreads, timed } from './statistics.ts';

const CROP_ROUNDS = 120;
const WIDTH = 2560;
const HEIGHT = 1440;
const REGION = { x: 25, y: 25, width: 50, height: 50 };

export const manictimeScreenshots: Benchmark = {
  name: 'manictime-screenshots',
  title: 'ManicTime: screenshots',
  method: `A quarter of ${WIDTH}x${HEIGHT} pixels, cropped by a tool call of a real client in the same process and by sharp alone (read, crop, encode). The detailed image is a screen full of windows; the flat one has one color. ${CROP_ROUNDS} times in random order; wall time.`,
  misses: {
    'crop_screenshot, flat to sharp alone, flat, minimum':
      'the names of 1,920 files of the day are read to find the one (1.4 ms), and the answer is base64 in JSON',
  },
  run: () => withDataSet(1, measure, 1),
};

async function measure(folder: string): Promise<Figures> {
  const day = join(folder, 'Screenshots', LAST_DAY);
  const names = await readdir(day);
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
  const ours = { name: 'crop_screenshot, detailed', run: () => cropCalled(detailedShot) };
  const alone = { name: 'sharp alone, detailed', run: () => cropAlone(detailed) };
  const oursFlat = { name: 'crop_screenshot, flat', run: () => cropCalled(flatShot) };
  const aloneFlat = { name: 'sharp alone, flat', run: () => cropAlone(flat) };
  const costs = await timed(CROP_ROUNDS, [ours, alone, oursFlat, aloneFlat], ({ run }) => run());
  return {
    numbers: spreads(costs, 'ms'),
    ratios: [
      ratio(costs, [ours, alone], 'minimum', 1.4),
      ratio(costs, [oursFlat, aloneFlat], 'minimum', 1.4),
    ],
  };
}

function largeName(name: string, time: string): string {
  return name
    .replace('.thumbnail', '')
    .replace('_1280_720_', `_${WIDTH}_${HEIGHT}_`)
    .replace('09-00-00', time);
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
