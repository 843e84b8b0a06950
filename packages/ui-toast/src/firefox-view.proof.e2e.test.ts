import type { Peer } from '@deskside/testkit';
import { describeInFirefox } from '@deskside/toaster/testing/firefox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHostScript, readView, startServer } from './testing/view-page.ts';

describeInFirefox((open) => {
  let server: Peer;
  let html: string;
  let hostScript: string;
  beforeAll(async () => {
    server = await startServer();
    [html, hostScript] = await Promise.all([readView(server), buildHostScript()]);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Shows the result of the real server in the view. */
  async function openView(args: Record<string, unknown>) {
    const page = await open();
    await page.addScriptTag({ content: hostScript });
    await page.evaluate(
      async (given) => {
        globalThis.host = await deskside.openApp(given);
      },
      { html, acceptsMessages: true, rejects: false },
    );
    const frame = await (await page.waitForSelector('iframe'))?.contentFrame();
    if (!frame) throw new Error('the page has no frame');
    const result = await server.callTool('show_notification', args);
    await page.evaluate(async (given) => host.bridge.sendToolResult(given), result);
    return { page, frame };
  }

  test('the view in Firefox shows the result as text, sends a prompt once, and collapses', async () => {
    const { page, frame } = await openView({
      message: '<b>Build failed</b>',
      severity: 'error',
      actions: [{ label: 'View Logs', action: 'prompt', prompt: 'show me the build logs' }],
    });
    const button = await frame.waitForSelector('.action');
    expect(await frame.$eval('.message', ({ textContent }) => textContent)).toBe('<b>Build failed</b>');
    await button?.click();
    await frame.waitForSelector('button.line');
    expect(await page.evaluate(() => host.messages)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'show me the build logs' }] },
    ]);
  });

  test('the view in Firefox collapses when its time is over, and the card takes focus when it expands', async () => {
    const { page, frame } = await openView({ message: 'Sync completed', severity: 'info', duration: 1 });
    const line = await frame.waitForSelector('button.line');
    await line?.focus();
    await page.keyboard.press('Enter');
    expect(await frame.$eval('.card', (card) => card === document.activeElement)).toBe(true);
  });
});
