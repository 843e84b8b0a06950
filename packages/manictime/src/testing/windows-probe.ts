import { writeFileSync } from 'node:fs';
import { DAY, parseWallTime } from '@deskside/core/dates';
import { locateData, findManicTimeProcess, screenshotsOf } from '../queries/installation.ts';
import { ScreenshotFolder } from '../screenshots/folder.ts';
import { folderOfRoot, parseOutputPath, resolveTarget, saveFile } from '../screenshots/saving.ts';

export type WindowsProbe = Awaited<ReturnType<typeof probe>>;

const [output = '', root = ''] = process.argv.slice(2);

/** Node.js under wine can write to a file, but not to a pipe. */
writeFileSync(output, JSON.stringify(await probe()));

/** What the server finds and writes on Windows without its database: a bundle of this runs with Node.js for Windows. */
async function probe() {
  const found = await locateData({ localAppData: process.env['LOCALAPPDATA'] });
  const { folder, source } = found;
  const from = parseWallTime('2025-01-15') ?? 0;
  const shots = new ScreenshotFolder(async () => screenshotsOf(found, {}));
  const target = await resolveTarget([folderOfRoot(root) ?? ''], parseOutputPath('shots/ж 1', '').path);
  return {
    folder,
    source,
    days: await shots.state(),
    shots: (await shots.shotsIn({ from, to: from + DAY })).length,
    saved: await saveFile(target, Buffer.from('bytes'), false),
    tracker: await findManicTimeProcess(),
  };
}
