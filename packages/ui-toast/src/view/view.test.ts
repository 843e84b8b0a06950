import { join } from 'node:path';
import { connectStdio, type Peer } from '@deskside/testkit';
import { build } from 'esbuild';
import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { viewPage } from '../../build/bundles.ts';
import { gzippedBytes, SIZE_LIMITS } from '../../build/sizes.ts';
import type { AppHost, AppHostOptions } from '../testing/app-host.ts';
import { describeInBrowser } from '../testing/browser.ts';

/** What the page of the host knows. */
declare global {
  var deskside: { openApp: (options: AppHostOptions) => Promise<AppHost> };
  var host: AppHost;
}

const buildFailed = {
  message: '<b>Build failed</b> - 3 tests failing',
  severity: 'error',
  title: 'Build Failure',
  actions: [
    { label: 'View Logs', action: 'prompt', prompt: 'show me the build logs' },
    { label: 'Dismiss', action: 'dismiss' },
  ],
};

let server: Peer;
let toastPage: string;

beforeAll(async () => {
  const cli = join(import.meta.dirname, '../cli.ts');
  server = await connectStdio({ command: process.execPath, args: [cli] }, { era: 'modern' });
  const { contents } = await server.readResource('ui://deskside/toast.html');
  toastPage = contents[0] !== undefined && 'text' in contents[0] ? contents[0].text : '';
});
afterAll(() => server[Symbol.asyncDispose]());

test('the page the server has is the one its sources make: pnpm build', async () => {
  expect(toastPage).toBe(await viewPage());
});

test('the view is at most 4 kB', () => {
  expect(gzippedBytes(toastPage)).toBeLessThanOrEqual(SIZE_LIMITS.view);
});

describeInBrowser('the MCP App view, in the official AppBridge', ({ open }) => {
  let hostScript: string;
  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, '../testing/app-host.ts')],
      bundle: true,
      format: 'iife',
      globalName: 'deskside',
      minify: true,
      platform: 'browser',
      write: false,
    });
    hostScript = outputFiles[0]?.text ?? '';
  });

  async function openView(
    { takesMessages = true, refuses = false } = {},
    options: Parameters<typeof open>[0] = {},
  ): Promise<{ page: Page; view: FrameLocator }> {
    const page = await open({ bypassCSP: true, ...options });
    await page.clock.setSystemTime(new Date());
    await page.addScriptTag({ content: hostScript });
    await page.evaluate(
      async (given) => {
        globalThis.host = await deskside.openApp(given);
      },
      { html: toastPage, takesMessages, refuses },
    );
    return { page, view: page.frameLocator('iframe') };
  }

  test('shakes hands, shows the result as text, and says its size', async () => {
    const { page, view } = await openView();
    expect(await page.evaluate(() => host.bridge.getAppVersion()?.name)).toBe('deskside-toast');
    await page.evaluate(async (args) => host.bridge.sendToolInput({ arguments: args }), buildFailed);
    await sendResult(page, buildFailed);
    expect(await view.locator('.message').textContent()).toBe('<b>Build failed</b> - 3 tests failing');
    expect(await view.locator('.sends').textContent()).toBe('show me the build logs');
    await expect.poll(() => page.evaluate(() => host.sizes.at(-1)?.height ?? 0)).toBeGreaterThan(80);
    const scheme = await view.locator('.card').evaluate((card) => getComputedStyle(card).colorScheme);
    expect(scheme).toBe('dark');
  });

  test('sends the prompt of a click as a message of the person, and folds', async () => {
    const { page, view } = await openView();
    await sendResult(page, buildFailed);
    await view.getByRole('button', { name: 'View Logs' }).click();
    await view.locator('button.line').waitFor();
    expect(await page.evaluate(() => host.messages)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'show me the build logs' }] },
    ]);
  });

  test.each([
    ['refuses it', { refuses: true }],
    ['takes none', { takesMessages: false }],
  ])('says so where the host %s', async (_, options) => {
    const { page, view } = await openView(options);
    await sendResult(page, buildFailed);
    await view.getByRole('button', { name: 'View Logs' }).click();
    await view.getByText('The chat did not take it: “show me the build logs”').waitFor();
    expect(await view.locator('.card').count()).toBe(1);
  });

  test('folds to one line when its time is over, and unfolds', async () => {
    const { page, view } = await openView();
    await sendResult(page, { message: 'Database backup completed', severity: 'success', duration: 3000 });
    await view.locator('.card').waitFor();
    await page.clock.runFor(2999);
    expect(await view.locator('.card').count()).toBe(1);
    await page.clock.runFor(1);
    const line = view.getByRole('button', { name: 'Success: Database backup completed' });
    await line.waitFor();
    await expect.poll(() => page.evaluate(() => host.sizes.at(-1)?.height ?? 0)).toBeLessThan(40);
    expect(await page.evaluate(() => host.sizes.at(-1)?.height)).toBeGreaterThan(15);
    await line.click();
    await page.clock.runFor(60_000);
    expect(await view.locator('.card').count()).toBe(1);
    await view.getByRole('button', { name: 'Close' }).click();
    await line.waitFor();
  });

  test('stands still while it has the pointer', async () => {
    const { page, view } = await openView();
    await sendResult(page, { message: 'Sync completed', severity: 'info' });
    await view.locator('.card').hover();
    await page.clock.runFor(60_000);
    expect(await view.locator('.card').count()).toBe(1);
  });

  test('starts folded when an old conversation is read again', async () => {
    const { page, view } = await openView();
    await page.clock.setSystemTime(Date.now() + 120_000);
    await sendResult(page, { message: 'Sync completed', severity: 'info' });
    await view.locator('button.line').waitFor();
    expect(await view.locator('.card').count()).toBe(0);
  });

  test('reads the text where the host hands over nothing else', async () => {
    const { page, view } = await openView();
    const notification = { message: 'as text', severity: 'info', duration: 0 };
    await page.evaluate(
      async (text) => host.bridge.sendToolResult({ content: [{ type: 'text', text }] }),
      JSON.stringify({ notification }),
    );
    expect(await view.locator('.message').textContent()).toBe('as text');
  });

  test('leaves no hole for errors and cancelled calls', async () => {
    const { page, view } = await openView();
    await sendResult(page, { message: '' });
    await view.getByText('No notification was shown.').waitFor();
    await page.evaluate(async () => host.bridge.sendToolCancelled({ reason: 'stopped' }));
    await view.getByText('The notification was cancelled.').waitFor();
    expect(await page.evaluate(() => host.sizes.at(-1)?.height)).toBeGreaterThan(15);
  });

  test('follows the theme, and lets itself be torn down', async () => {
    const { page, view } = await openView();
    await sendResult(page, { message: 'Sync completed', severity: 'info', duration: 0 });
    await page.evaluate(() => host.bridge.setHostContext({ theme: 'light' }));
    await expect
      .poll(() => view.locator('html').evaluate((root) => getComputedStyle(root).colorScheme))
      .toBe('light');
    expect(await page.evaluate(async () => host.bridge.teardownResource({}))).toEqual({});
  });
});

/** What the real server answers, handed over as hosts do. */
async function sendResult(page: Page, args: Record<string, unknown>): Promise<void> {
  const result = await server.callTool('show_notification', args);
  await page.evaluate(async (given) => host.bridge.sendToolResult(given), result);
}
