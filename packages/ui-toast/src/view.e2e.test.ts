import type { Peer } from '@deskside/testkit';
import { describeInChromium } from '@deskside/toaster/testing';
import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHostScript, readView, startServer } from './testing/view-page.ts';

const buildFailed = {
  message: '<b>Build failed</b> - 3 tests failing',
  severity: 'error',
  title: 'Build Failure',
  actions: [
    { label: 'View Logs', action: 'prompt', prompt: 'show me the build logs' },
    { label: 'Dismiss', action: 'dismiss' },
  ],
};

const deploying = { id: 'deploy', message: 'Deploying', severity: 'info', loading: true, duration: 0 };

let server: Peer;
let toastPage: string;

beforeAll(async () => {
  server = await startServer();
  toastPage = await readView(server);
});
afterAll(() => server[Symbol.asyncDispose]());

describeInChromium(({ open }) => {
  let hostScript: string;
  beforeAll(async () => {
    hostScript = await buildHostScript();
  });

  async function openView(): Promise<{ page: Page; view: FrameLocator }> {
    const page = await open({ bypassCSP: true });
    await page.clock.setSystemTime(new Date());
    await page.addScriptTag({ content: hostScript });
    await page.evaluate(async (html) => {
      globalThis.host = await deskside.openApp(html);
    }, toastPage);
    return { page, view: page.frameLocator('iframe') };
  }

  test('the view connects to the official AppBridge, shows the result as text, and reports its size', async () => {
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

  test('a click in the view sends the prompt as it is shown, with hidden characters escaped, and collapses the card', async () => {
    const { page, view } = await openView();
    const prompt = 'show\u{1D173} the\u202E logs\u{E0073}';
    await sendResult(page, { ...buildFailed, actions: [{ label: 'Logs', action: 'prompt', prompt }] });
    const text = String.raw`show\u{1d173} the\u{202e} logs\u{e0073}`;
    expect(await view.locator('.sends').textContent()).toBe(text);
    await view.getByRole('button', { name: 'Logs' }).click();
    await view.locator('button.line').waitFor();
    const sent = [{ role: 'user', content: [{ type: 'text', text }] }];
    expect(await page.evaluate(() => host.messages)).toEqual(sent);
  });

  test('a prompt in the view is sending, then sent, and goes to the host once', async () => {
    const { page, view } = await openView();
    await page.evaluate(() => {
      host.bridge.onmessage = async (params) => {
        host.messages.push(params);
        await new Promise<void>((resolve) => {
          addEventListener('answer', () => resolve());
        });
        return {};
      };
    });
    await sendResult(page, { ...buildFailed, duration: 0 });
    const button = view.getByRole('button', { name: 'View Logs' });
    for (const force of [false, true]) await button.click({ force });
    expect(await button.textContent()).toBe('View Logsshow me the build logsSending…');
    await page.evaluate(() => dispatchEvent(new Event('answer')));
    await view.locator('button.line').click({ timeout: 3000 });
    await button.click({ force: true });
    expect(await button.textContent()).toBe('View Logsshow me the build logsSent');
    expect(await page.evaluate(() => host.messages.length)).toBe(1);
  });

  test('the view reports a prompt that the host rejects', async () => {
    const { page, view } = await openView();
    await page.evaluate(() => {
      host.bridge.onmessage = async () => ({ isError: true });
    });
    await sendResult(page, buildFailed);
    await view.getByRole('button', { name: 'View Logs' }).click();
    await view.locator('main').getByText('The chat did not accept: “show me the build logs”').waitFor();
    expect(await view.locator('.card').count()).toBe(1);
  });

  test('the view collapses to one line when its time is over, and expands on a click', async () => {
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

  test('a long text stays in the view as long as reading it takes', async () => {
    const { page, view } = await openView();
    await sendResult(page, { message: 'x'.repeat(400), severity: 'warning' });
    await view.locator('.card').waitFor();
    await page.clock.runFor(19_999);
    expect(await view.locator('.card').count()).toBe(1);
    await page.clock.runFor(1);
    await view.locator('button.line').waitFor();
  });

  test('the pointer over the view pauses its time', async () => {
    const { page, view } = await openView();
    await sendResult(page, { message: 'Sync completed', severity: 'info' });
    await view.locator('.card').hover();
    await page.clock.runFor(60_000);
    expect(await view.locator('.card').count()).toBe(1);
  });

  test('the view of an old notification starts collapsed', async () => {
    const { page, view } = await openView();
    await page.clock.setSystemTime(Date.now() + 11 * 60_000);
    await sendResult(page, { message: 'Sync completed', severity: 'info' });
    await view.locator('button.line').waitFor();
    expect(await view.locator('.card').count()).toBe(0);
  });

  test('the view reads the text content if the host passes nothing else', async () => {
    const { page, view } = await openView();
    const notification = { message: 'as text', severity: 'info', duration: 0 };
    await page.evaluate(
      async (text) => host.bridge.sendToolResult({ content: [{ type: 'text', text }] }),
      JSON.stringify({ notification }),
    );
    expect(await view.locator('.message').textContent()).toBe('as text');
  });

  test('the view shows a line for errors and cancelled calls', async () => {
    const { page, view } = await openView();
    await sendResult(page, { message: '' });
    await view.locator('main').getByText('No notification was shown. Message cannot be empty').waitFor();
    await page.evaluate(async () => host.bridge.sendToolCancelled({ reason: 'stopped' }));
    await view.locator('main').getByText('The notification was cancelled.').waitFor();
    expect(await page.evaluate(() => host.sizes.at(-1)?.height)).toBeGreaterThan(15);
  });

  test('the view takes theme, colors, radius, fonts, language and safe area of the host, and paints nothing behind the card', async () => {
    const { page, view } = await openView();
    await sendResult(page, { message: 'Sync failed', severity: 'error', duration: 0 });
    await page.evaluate(() =>
      host.bridge.setHostContext({
        theme: 'light',
        locale: 'de-AT',
        safeAreaInsets: { top: 30, right: 0, bottom: 0, left: 0 },
        styles: {
          // A host may omit variables; the type of the bridge demands all.
          variables: {
            '--color-background-primary': 'rgb(1, 2, 3)',
            '--color-text-primary': 'rgb(250, 251, 252)',
            '--color-text-danger': 'rgb(255, 100, 100)',
            '--border-radius-lg': '3px',
          } as never,
          css: { fonts: '@font-face { font-family: Brand; src: local("Arial"); }' },
        },
      }),
    );
    const card = view.locator('.card');
    const style = () =>
      card.evaluate((element) => {
        const { color, borderRadius } = getComputedStyle(element);
        const icon = getComputedStyle(element.querySelector('.icon') ?? element).color;
        return { color, borderRadius, icon, fonts: document.fonts.size };
      });
    await expect.poll(style).toEqual({
      color: 'rgb(250, 251, 252)',
      borderRadius: '3px',
      icon: 'rgb(255, 100, 100)',
      fonts: 1,
    });
    expect(await view.locator('main').evaluate((main) => getComputedStyle(main).colorScheme)).toBe('light');
    expect(await card.evaluate((element) => element.getBoundingClientRect().top)).toBe(32);
    const root = await view.locator('html').evaluate((element) => {
      const { colorScheme, backgroundColor } = getComputedStyle(element);
      return [colorScheme, backgroundColor, element.getAttribute('lang')];
    });
    expect(root).toEqual(['normal', 'rgba(0, 0, 0, 0)', 'de-AT']);
    expect(await page.evaluate(async () => host.bridge.teardownResource({}))).toEqual({});
  });

  test('the view announces a notification once: without its buttons, and not again when it collapses', async () => {
    const { page, view } = await openView();
    await view.locator('html').evaluate(() => {
      const announced: string[] = [];
      Object.assign(globalThis, { announced });
      for (const region of document.querySelectorAll('[aria-live], [role=status]')) {
        const options = { childList: true, characterData: true, subtree: true };
        new MutationObserver(() => announced.push(region.textContent)).observe(region, options);
      }
    });
    await sendResult(page, buildFailed);
    await view.getByRole('button', { name: 'Dismiss' }).click();
    await view.locator('button.line').click();
    expect(await view.locator('html').evaluate('announced')).toEqual([
      'Error: Build Failure. <b>Build failed</b> - 3 tests failing',
    ]);
    await page.clock.runFor(10_000);
    expect(await view.getByRole('status').textContent()).toBe('');
  });

  test('the card takes focus when the line is expanded with the keyboard', async () => {
    const { page, view } = await openView();
    await sendResult(page, { message: 'Sync completed', severity: 'info', duration: 1 });
    await page.clock.runFor(10);
    await view.locator('button.line').focus();
    await page.keyboard.press('Enter');
    expect(await view.locator('.card').evaluate((card) => card === document.activeElement)).toBe(true);
  });

  test('work in progress has one name on its card and when it is announced, and its spinner ends after a minute', async () => {
    const { page, view } = await openView();
    await sendResult(page, deploying);
    await view.locator('.icon.loading').waitFor();
    const name = await view.locator('.card').getAttribute('aria-label');
    expect([name, await view.getByRole('status').textContent()]).toEqual([
      'In progress: Deploying',
      'In progress: Deploying',
    ]);
    await page.clock.runFor(59_999);
    expect(await view.locator('.icon.loading').count()).toBe(1);
    await page.clock.runFor(1);
    const line = view.getByRole('button', { name: 'Information: Deploying' });
    await line.waitFor();
    await line.click();
    expect(await view.locator('.card').getAttribute('aria-label')).toBe('Information: Deploying');
    expect(await view.locator('.loading').count()).toBe(0);
  });
});

/** Calls the real server, and passes its result to the view. */
async function sendResult(page: Page, args: Record<string, unknown>): Promise<void> {
  const result = await server.callTool('show_notification', args);
  await page.evaluate(async (given) => host.bridge.sendToolResult(given), result);
}
