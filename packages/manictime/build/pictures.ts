import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '@deskside/core/testing';
import { launch } from '@deskside/testkit/chromium';

// Takes the pictures of README and docs: `pnpm pictures`, or `node build/pictures.ts [--to FOLDER]`. The page of `report` in
// both color schemes: whole, and the upper part of a narrow window. Needs faketime.
const { values } = parseArgs({ options: { to: { type: 'string' } } });
const folder = values.to ?? join(import.meta.dirname, '../../../docs/pictures');
mkdirSync(folder, { recursive: true });

using temporary = temporaryFolder();
const page = join(temporary.path, 'day.html');
const program = join(import.meta.dirname, '../dist/bin/cli.js');
// Demo data ends yesterday.
const report = ['report', '--demo', '--date', 'yesterday', '--out', page];
execFileSync('faketime', ['2026-11-20 12:00:00', process.execPath, program, ...report], {
  env: { ...process.env, TZ: 'UTC' },
});
await using browser = await launch();
for (const colorScheme of ['light', 'dark'] as const) {
  const tab = await browser.newPage({ colorScheme, deviceScaleFactor: 1.25 });
  await tab.goto(pathToFileURL(page).href);
  await tab.setViewportSize({ width: 1120, height: 100 });
  await tab.screenshot({ path: join(folder, `manictime-day-${colorScheme}.png`), fullPage: true });
  await tab.setViewportSize({ width: 700, height: 560 });
  await tab.screenshot({ path: join(folder, `manictime-day-narrow-${colorScheme}.png`) });
}
