import { readdir, readFile } from 'node:fs/promises';
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

/** The detailed image takes as long to decode as a screen full of windows: a few hundred kilobytes. */
const IMAGES = [
  {
    name: 'detailed',
    time: '08-59-58',
    background: 'white',
    noise: { type: 'gaussian', mean: 200, sigma: 12 },
  },
  { name: 'flat', time: '08-59-59', background: 'lightblue' },
] as const;

async function measure(folder: string): Promise<Figures> {
  const day = join(folder, 'Screenshots', LAST_DAY);
  const [stored = ''] = await readdir(day);
  const large = stored.replace('.thumbnail', '').replace('_1280_720_', `_${WIDTH}_${HEIGHT}_`);
  const fileOf = (time: string) => join(day, large.replace('09-00-00', time));
  for (const { name: _, time, ...content } of IMAGES) {
    const create = { width: WIDTH, height: HEIGHT, channels: 3 as const, ...content };
    await sharp({ create }).jpeg({ quality: 80 }).toFile(fileOf(time));
  }

  await using manictime = openManicTime({ dataDir: folder });
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  const range = { startDate: `${LAST_DAY}T08:59:00`, endDate: `${LAST_DAY}T09:00:00` };
  const { screenshots } = JSON.parse(firstText(await peer.callTool('list_screenshots', range)));
  const cropCalled = async (screenshotRef: string) => {
    const { content } = await peer.callTool('crop_screenshot', { screenshotRef, ...REGION });
    if (content[0]?.type !== 'image') throw new Error('The crop failed.');
  };
  const pairs = IMAGES.map(
    ({ name, time }, at) =>
      [
        { name: `crop_screenshot, ${name}`, run: () => cropCalled(screenshots[at].screenshotRef) },
        { name: `sharp alone, ${name}`, run: () => cropAlone(fileOf(time)) },
      ] as const,
  );
  const costs = await timed(CROP_ROUNDS, pairs.flat(), ({ run }) => run());
  return {
    numbers: spreads(costs, 'ms'),
    ratios: pairs.map((pair) => ratio(costs, pair, 'minimum', 1.4)),
  };
}

async function cropAlone(file: string): Promise<void> {
  const region = { left: WIDTH / 4, top: HEIGHT / 4, width: WIDTH / 2, height: HEIGHT / 2 };
  await sharp(await readFile(file))
    .extract(region)
    .jpeg({ quality: 85 })
    .toBuffer();
}
