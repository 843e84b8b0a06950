import axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { POSITIONS } from '../notification/notification.ts';
import { describeInFirefox, messages, show, swipe } from '../testing/firefox.ts';
import { type Frame, framesOf, holdAnimations, largestStep, readFrames } from '../testing/motion.ts';

const error = (message: string) => ({ message, severity: 'error', duration: 0 }) as const;

describeInFirefox(
  (open) => {
    const openMoving = async () => {
      const page = await open();
      await page.evaluate(holdAnimations);
      return page;
    };

    test('a new card slides in from the edge in Firefox while those that it pushes glide', async () => {
      const page = await openMoving();
      await show(page, error('old'));
      const entered = await frames(page, 'old');
      expect(entered[0]?.opacity).toBe(0);
      expect(entered[0]?.top).toBeLessThan(-20);
      expect(largestStep(entered.map(({ top }) => top))).toBeLessThan(0.4);
      await show(page, error('new'));
      const pushed = await frames(page, 'old');
      expect(pushed[0]?.top).toBeCloseTo(entered.at(-1)?.top ?? 0, 0);
      expect((pushed.at(-1)?.top ?? 0) - (pushed[0]?.top ?? 0)).toBeGreaterThan(40);
      expect(largestStep(pushed.map(({ top }) => top))).toBeLessThan(0.4);
    });

    test('the cards below one that closes glide up in Firefox while it fades', async () => {
      const page = await openMoving();
      const ids: (string | undefined)[] = [];
      for (const message of ['bottom', 'top']) {
        ids.push(await show(page, error(message)));
        await frames(page, message);
      }
      await page.evaluate((id = '') => document.querySelector('deskside-toaster')?.dismiss(id), ids[1]);
      const moved = await frames(page, 'bottom');
      expect((moved[0]?.top ?? 0) - (moved.at(-1)?.top ?? 0)).toBeGreaterThan(40);
      expect(largestStep(moved.map(({ top }) => top))).toBeLessThan(0.4);
      await page.waitForFunction(
        () => document.querySelector('deskside-toaster')?.shadowRoot?.querySelectorAll('.card').length === 1,
      );
    });

    test('a pile spreads under the pointer in Firefox and closes after it', async () => {
      const page = await openMoving();
      for (const message of ['one', 'two']) {
        await show(page, { message, severity: 'info', duration: 0 });
        await frames(page, message);
      }
      const card = await page.waitForSelector('deskside-toaster >>> .card:not(.under)');
      await card?.hover();
      const spread = await frames(page, 'one');
      expect((spread.at(-1)?.top ?? 0) - (spread[0]?.top ?? 0)).toBeGreaterThan(30);
      expect(largestStep(spread.map(({ top }) => top))).toBeLessThan(0.4);
      await page.mouse.move(10, 500);
      const closed = await frames(page, 'one');
      expect(closed.at(-1)?.top).toBeCloseTo(spread[0]?.top ?? 0, 0);
      expect(largestStep(closed.map(({ top }) => top))).toBeLessThan(0.4);
    });

    test('a swiped card goes on in Firefox from where the finger left it', async () => {
      const page = await openMoving();
      await show(page, error('swiped'));
      const start = (await frames(page, 'swiped')).at(-1)?.left ?? 0;
      await swipe(page, 120);
      const gone = await frames(page, 'swiped');
      expect(gone[0]?.left).toBeCloseTo(start + 120, 0);
      expect(gone.every(({ left }, index) => left >= (gone[index - 1]?.left ?? 0))).toBe(true);
      expect(gone.at(-1)?.left).toBeGreaterThan(start + 300);
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
      await endAnimations(page);
      const hidden = await page.$$eval('deskside-toaster >>> .card :is(.title, .close, .action)', (parts) =>
        parts
          .filter((part) => {
            part.scrollIntoView({ block: 'nearest' });
            const { left, right, top, bottom } = part.getBoundingClientRect();
            const root = part.getRootNode();
            // In Firefox, elementFromPoint finds elements below the viewport too.
            const isHit = (x: number, y: number) =>
              root instanceof ShadowRoot && part.contains(root.elementFromPoint(x, y));
            const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
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
  },
  { motion: true },
);

function frames(page: Page, message: string): Promise<readonly Frame[]> {
  return page.evaluate(readFrames, framesOf(message));
}

async function axeViolations(page: Page): Promise<unknown> {
  await page.addScriptTag({ content: axe.source });
  await endAnimations(page);
  return page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
}

/** A card that comes has less contrast, and is not in its place. */
function endAnimations(page: Page): Promise<void> {
  return page.evaluate(() => {
    const root = document.querySelector('deskside-toaster')?.shadowRoot;
    for (const animation of root?.getAnimations() ?? []) animation.finish();
  });
}
