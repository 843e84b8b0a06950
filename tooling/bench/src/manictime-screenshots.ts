import { writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manictimeServer, openManicTime } from '@deskside/manictime';
import { connectInProcess, firstText } from '@deskside/testkit';
import sharp from 'sharp';
import type { Benchmark, BenchmarkReport } from './benchmark.ts';
import { LAST_DAY, withDataSet } from './manictime/data-sets.ts';
import { timed } from './manictime/timed.ts';
import { median, minimum } from './statistics.ts';

const ROUNDS = 20;
const WIDTH = 2560;
const HEIGHT = 1440;
const DAY = { startDate: LAST_DAY, endDate: '2026-11-21' };
const REGION = { x: 25, y: 25, width: 50, height: 50 };
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
  const large = join(
    day,
    name
      .replace('.thumbnail', '')
      .replace('_1280_720_', `_${WIDTH}_${HEIGHT}_`)
      .replace('09-00-00', '08-59-59'),
  );
  await writeFile(large, await detailedImage());

  await using manictime = openManicTime({ dataDir: folder });
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  const first = await peer.callTool('list_screenshots', {
    startDate: `${LAST_DAY}T08:59:00`,
    endDate: `${LAST_DAY}T09:00:00`,
  });
  const { screenshotRef } = JSON.parse(firstText(first)).screenshots[0];
  const list = await timed(ROUNDS, () =>
    peer.callTool('list_screenshots', { ...DAY, samplingStrategy: 'interval' }),
  );
  const transitions = await timed(ROUNDS, () => peer.callTool('list_screenshots', DAY));
  const crop = await timed(ROUNDS, () => peer.callTool('crop_screenshot', { screenshotRef, ...REGION }));
  const alone = await timed(ROUNDS, () => cropAlone(large));
  const rows = [
    ['`list_screenshots`, interval', list],
    ['`list_screenshots`, activity transitions', transitions],
    [`\`crop_screenshot\`, a quarter of ${WIDTH}x${HEIGHT}`, crop],
    ['sharp alone: read, crop, encode', alone],
  ] as const;
  return {
    compared:
      'Listing a day of 960 shots with a year of such days beside it; cropping against the same work with sharp and nothing else, in the same run.',
    method: `Tool calls of a real client in the same process, ${ROUNDS} times after one that warms up; wall time. The crop travels as base64 in the answer.`,
    tables: [
      {
        columns: ['Call', 'Minimum, ms', 'Median, ms'],
        rows: rows.map(([call, times]) => [call, minimum(times).toFixed(1), median(times).toFixed(1)]),
      },
    ],
    ratios: [
      {
        title: 'list_screenshots by transitions, to 100 ms',
        value: minimum(transitions) / 100,
        target: { atMost: 1 },
      },
      {
        title: 'crop_screenshot to sharp alone',
        value: minimum(crop) / minimum(alone),
        target: { atMost: 1.3 },
      },
    ],
    caveats: [
      'The picture is full of detail, as a screen of windows is; on a flat one, where sharp alone takes 9 ms, the ratio was 1.33 and 1.35, over the target.',
    ],
  };
}

/** The same names on every other day of a year; without bytes, as a listing opens none. */
async function writeYear(root: string, names: readonly string[]): Promise<void> {
  for (let back = 1; back < 365; back += 1) {
    const date = new Date(Date.parse(LAST_DAY) - back * 86_400_000).toISOString().slice(0, 10);
    await mkdir(join(root, date));
    for (const name of names) writeFileSync(join(root, date, name.replace(LAST_DAY, date)), '');
  }
}

/** As hard to decode as a screen full of windows: a few hundred kilobytes. */
function detailedImage(): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 200, sigma: 12 };
  const create = { width: WIDTH, height: HEIGHT, channels: 3 as const, background: 'white', noise };
  return sharp({ create }).jpeg({ quality: 80 }).toBuffer();
}

async function cropAlone(file: string): Promise<void> {
  const region = { left: WIDTH / 4, top: HEIGHT / 4, width: WIDTH / 2, height: HEIGHT / 2 };
  await sharp(await readFile(file))
    .extract(region)
    .jpeg({ quality: 85 })
    .toBuffer();
}
