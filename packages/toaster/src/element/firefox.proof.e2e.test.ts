import axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { POSITIONS } from '../notification/notification.ts';
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

  test('all parts of long toasts can be scrolled into view in Firefox at a zoom of 200 %', async () => {
    const page = await open('', 600, 380);
    const prompt = 'show me all of the details '.repeat(7);
    for (const position of POSITIONS) {
      await show(page, {
        message: 'Nine words, and then the sentence begins once more. '.repeat(9),
        title: 'The title is as long as a title can be',
        severity: 'warning',
        duration: 0,
        position,
        actions: ['First', 'Second'].map((label) => ({ label, action: 'prompt', prompt })),
      });
    }
    const hidden = await page.$$eval('deskside-toaster >>> .card :is(.title, .close, .action)', (parts) =>
      parts
        .filter((part) => {
          part.scrollIntoView({ block: 'nearest' });
          const { left, right, top, bottom } = part.getBoundingClientRect();
          const root = part.getRootNode();
          // In Firefox, elementFromPoint finds elements below the viewport too.
          const isHit = (x: number, y: number) =>
            root instanceof ShadowRoot && part.contains(root.elementFromPoint(x, y));
          // It scrolls to a fraction of a pixel.
          const isInside = left >= 0 && top > -1 && right <= innerWidth && bottom < innerHeight + 1;
          return !isInside || !isHit(left + 8, top + 4) || !isHit(right - 8, bottom - 4);
        })
        .map((part) => part.textContent),
    );
    expect(hidden).toEqual([]);
  });

  test('axe finds no violation in Firefox in toasts of every severity and in the notification center', async () => {
    const page = await open('<header><h1>Chat</h1></header>');
    const actions = [{ label: 'Logs', action: 'prompt', prompt: 'show me the logs' }] as const;
    for (const severity of ['info', 'success', 'warning', 'error'] as const) {
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
