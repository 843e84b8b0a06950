import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connectInProcess, firstText, fixedClock } from '@deskside/testkit';
import { launch } from '@deskside/testkit/chromium';
import { openManicTime } from '../src/manictime.ts';
import { manictimeServer } from '../src/server.ts';

// Takes the pictures of README and docs: `pnpm pictures`, or `node build/pictures.ts [--to FOLDER]`. A day of
// the demo in both color schemes: whole, and the upper part of a narrow window.
const { values } = parseArgs({ options: { to: { type: 'string' } } });
const folder = values.to ?? join(import.meta.dirname, '../../../docs/pictures');
mkdirSync(folder, { recursive: true });

process.env['TZ'] = 'UTC';
await using manictime = openManicTime({ demo: true }, { clock: fixedClock('2026-11-20T12:00:00Z') });
await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
const shown = await peer.callTool('render_day', { date: 'yesterday' });
const { html }: { readonly html: string } = JSON.parse(firstText(shown));
const view: { readonly style: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../dist/view.json'), 'utf8'),
);
await using browser = await launch();
for (const colorScheme of ['light', 'dark'] as const) {
  const tab = await browser.newPage({ colorScheme, deviceScaleFactor: 1.25 });
  await tab.setContent(
    `<!doctype html><html lang="en"><style>${view.style}</style><main class="picture">${html}</main></html>`,
  );
  await tab.setViewportSize({ width: 1120, height: 100 });
  await tab.screenshot({ path: join(folder, `manictime-day-${colorScheme}.png`), fullPage: true });
  await tab.setViewportSize({ width: 700, height: 560 });
  await tab.screenshot({ path: join(folder, `manictime-day-narrow-${colorScheme}.png`) });
}
