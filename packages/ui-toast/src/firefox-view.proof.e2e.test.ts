import { describeInFirefox } from '@deskside/toaster/testing/firefox';
import { expect, test } from 'vitest';
import { buildHostScript, readView, startServer } from './testing/view-page.ts';

describeInFirefox((open) => {
  test('the view in Firefox shows the result as text, sends a prompt once, collapses, and expands with the keyboard', async () => {
    await using server = await startServer();
    const html = await readView(server);
    const page = await open();
    await page.addScriptTag({ content: await buildHostScript() });
    await page.evaluate(async (view) => {
      globalThis.host = await deskside.openApp(view);
    }, html);
    const frame = await (await page.waitForSelector('iframe'))?.contentFrame();
    if (!frame) throw new Error('the page has no frame');
    const actions = [{ label: 'View Logs', action: 'prompt', prompt: 'show me the build logs' }];
    const args = { message: '<b>Build failed</b>', severity: 'error', actions };
    const result = await server.callTool('show_notification', args);
    await page.evaluate(async (given) => host.bridge.sendToolResult(given), result);

    const button = await frame.waitForSelector('.action');
    expect(await frame.$eval('.message', ({ textContent }) => textContent)).toBe('<b>Build failed</b>');
    await button?.click();
    const line = await frame.waitForSelector('button.line');
    expect(await page.evaluate(() => host.messages)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'show me the build logs' }] },
    ]);
    await line?.focus();
    await page.keyboard.press('Enter');
    expect(await frame.$eval('.card', (card) => card === document.activeElement)).toBe(true);
  });
});
