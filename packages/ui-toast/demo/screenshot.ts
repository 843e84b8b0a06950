import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { launch } from '@deskside/testkit/chromium';

// Takes the README's picture of the demo: `node demo/screenshot.ts`.
const main = join(import.meta.dirname, 'main.ts');
const demo = spawn(process.execPath, [main, '--port', '0', '--no-open'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await launch();
try {
  const { value: line } = await createInterface(demo.stdout)[Symbol.asyncIterator]().next();
  const [url = ''] = /http:\S+/.exec(String(line)) ?? [];
  const page = await browser.newPage({
    viewport: { width: 1152, height: 520 },
    deviceScaleFactor: 1.5,
    reducedMotion: 'reduce',
  });
  await page.goto(url);
  for (const [button, title] of [
    ['Deploy the workflow', 'deployed successfully'],
    ['What did we spend?', 'Budget Alert'],
    ['Run the tests', 'Build Failure'],
  ] as const) {
    await page.getByRole('button', { name: button }).click();
    await page.locator('.card').getByText(title).waitFor();
  }
  await page.screenshot({ path: join(import.meta.dirname, '../../../docs/pictures/ui-toast-demo.png') });
} finally {
  demo.kill();
  await browser.close();
}
