import axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { SEVERITIES } from '../notification/notification.ts';
import { describeInFirefox, messages, show, swipe } from '../testing/firefox.ts';

describeInFirefox((open) => {
  test('a finger swipes a toast away in Firefox, and a short swipe leaves it', async () => {
    const page = await open();
    await show(page, { message: 'Swipe me', severity: 'info', duration: 0 });
    await swipe(page, 8);
    expect(await messages(page)).toEqual(['Swipe me']);
    await swipe(page, 120);
    expect(await messages(page)).toEqual([]);
  });

  test('axe finds no violation in Firefox in toasts of every severity and in the notification center', async () => {
    const page = await open('<header><h1>Chat</h1></header>');
    const actions = [{ label: 'Logs', action: 'prompt', prompt: 'show me the logs' }] as const;
    for (const severity of SEVERITIES) {
      const position = severity === 'error' ? 'bottom-right' : 'top-right';
      await show(page, { title: 'Build', message: 'It ended', severity, actions, position, duration: 0 });
    }
    expect(await axeViolations(page)).toEqual([]);
    await page.evaluate(() => document.querySelector('deskside-toaster')?.openCenter());
    expect(await axeViolations(page)).toEqual([]);
    expect(await messages(page)).toHaveLength(8);
  });
});

async function axeViolations(page: Page): Promise<unknown> {
  await page.addScriptTag({ content: axe.source });
  return page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
}
