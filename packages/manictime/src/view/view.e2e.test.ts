import { connectInProcess, temporaryFolder } from '@deskside/testkit';
import { hasChromium, sharedBrowser } from '@deskside/testkit/chromium';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeDataFolder } from '../testing/data-folder.ts';
import { manictimeServer } from '../server.ts';
import { openTestManicTime } from '../testing/test-server.ts';

interface HostWindow {
  callTool(name: string, args: object): Promise<unknown>;
}

/** A page that is the host of the view: it answers the handshake and passes tool calls to the real server. */
async function openHost(page: Page, html: string, result: unknown): Promise<void> {
  await page.setContent('<iframe style="width:900px;height:600px"></iframe>');
  await page.evaluate(
    ({ html, result }) => {
      const frame = document.querySelector('iframe');
      const send = (message: object) =>
        frame?.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*');
      const host = globalThis as unknown as HostWindow;
      addEventListener('message', ({ data: { id, method, params } }) => {
        if (method === 'ui/initialize') {
          const toolInfo = { tool: { name: 'get_daily_summary' } };
          send({ id, result: { hostContext: { theme: 'dark', toolInfo } } });
        } else if (method === 'ui/notifications/initialized') {
          send({ method: 'ui/notifications/tool-result', params: result });
        } else if (method === 'tools/call') {
          void host.callTool(params.name, params.arguments).then((result) => send({ id, result }));
        }
      });
      frame?.setAttribute('srcdoc', html);
    },
    { html, result },
  );
}

describe.skipIf(!hasChromium)('in Chromium', () => {
  test('the view draws the day of get_daily_summary, shows details by keyboard, and a screenshot on a click', async () => {
    const folder = temporaryFolder();
    const data = { profile: 'light', days: 3, until: '2026-11-20', seed: 1, screenshotDays: 1 } as const;
    await writeDataFolder({ folder, ...data });
    await using manictime = openTestManicTime({ dataDir: folder });
    await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
    const tool = (await peer.listTools()).find(({ name }) => name === 'get_daily_summary');
    expect(tool?._meta).toMatchObject({ ui: { resourceUri: 'ui://manictime/day.html' } });
    const { contents } = await peer.readResource('ui://manictime/day.html');
    const html = contents[0] !== undefined && 'text' in contents[0] ? contents[0].text : '';

    const page = await (await sharedBrowser()).newPage();
    onTestFinished(() => page.close());
    await page.exposeFunction('callTool', (name: string, args: object) => peer.callTool(name, { ...args }));
    await openHost(page, html, await peer.callTool('get_daily_summary', { date: '2026-11-20' }));
    const view = page.frameLocator('iframe');

    await view.getByRole('heading', { name: '20 November 2026' }).waitFor();
    const bars = view.getByRole('group', { name: /^Applications/ }).getByRole('button');
    await bars.first().focus();
    await page.keyboard.press('ArrowRight');
    const second = (await bars.nth(1).getAttribute('aria-label')) ?? '';
    expect(await view.locator('.details').textContent()).toBe(second);
    expect(await view.locator('html').evaluate(({ style }) => style.colorScheme)).toBe('dark');

    const cut = await bars.evaluateAll((all) =>
      all.flatMap((bar) => {
        const label = document.createRange();
        label.selectNodeContents(bar);
        const [text, box] = [label.getBoundingClientRect(), bar.getBoundingClientRect()];
        return text.top < box.bottom && text.right > box.right ? [bar.textContent] : [];
      }),
    );
    expect(cut, 'labels that are shown in part').toStrictEqual([]);

    // The longest bar is surely long enough for a screenshot, which is taken every four minutes.
    const longest = await bars.evaluateAll((all) => {
      const lengths = all.map((bar) => Number.parseFloat(bar.style.width));
      return lengths.indexOf(Math.max(...lengths));
    });
    await bars.nth(longest).click();
    const picture = view.getByAltText('Screenshot');
    await picture.waitFor();
    expect(
      await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
    ).toBe(320);
  });
});
