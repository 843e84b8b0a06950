import { join } from 'node:path';
import { launch } from '@deskside/toaster/testing/chromium';

/** Takes the README's picture of a running demo: `node demo/screenshot.ts http://127.0.0.1:4321/`. */
const [, , url = 'http://127.0.0.1:4321/'] = process.argv;
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1152, height: 560 }, reducedMotion: 'reduce' });
await page.goto(url);
for (const [button, title] of [
  ['Any new agent?', 'New Agent Available'],
  ['Run the tests', 'Build Failure'],
  ['What did we spend?', 'Budget Alert'],
  ['Deploy the workflow', 'deployed successfully'],
] as const) {
  await page.getByRole('button', { name: button }).click();
  await page.locator('.card').getByText(title).waitFor();
}
await page.screenshot({ path: join(import.meta.dirname, 'screenshot.png') });
await browser.close();
