import { chosenRows } from '@deskside/testkit';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { TOAST_POSITIONS } from '../notification/notification.ts';
import { cards, describeInChromium, messages, show } from '../testing/browser.ts';
import { describeInBrowsers } from '../testing/in-page.ts';
import { type Frame, holdAnimations, largestStep, readFrames } from '../testing/motion.ts';

describeInChromium(({ open }) => {
  test.each([
    ['theme="light"', 'light'],
    ['theme="auto"', 'light dark'],
    ['', 'dark'],
  ])('a toaster with the attribute %j has the color scheme %s', async (toaster, scheme) => {
    const page = await open({ toaster, root: 'style="color-scheme: dark"', bypassCSP: true });
    await show(page, { message: 'x', severity: 'info' });
    expect(await page.locator('.card').evaluate((card) => getComputedStyle(card).colorScheme)).toBe(scheme);
  });

  test('nothing moves under reduced motion, and a toast has a border in forced colors', async () => {
    const page = await open({ forcedColors: 'active' });
    for (const message of ['one', 'two']) await show(page, { message, severity: 'info', duration: 0 });
    await cards(page).first().hover();
    const look = await cards(page)
      .first()
      .evaluate((card) => ({
        animations: document.querySelector('deskside-toaster')?.shadowRoot?.getAnimations().length,
        border: getComputedStyle(card).borderTopWidth,
      }));
    expect(look).toEqual({ animations: 0, border: '1px' });
  });

  test('a toast is not printed with the page', async () => {
    const page = await open({ viewport: { width: 600, height: 700 } });
    await show(page, { message: 'x', severity: 'info' });
    expect(await cards(page).isVisible()).toBe(true);
    await page.emulateMedia({ media: 'print' });
    const isPrinted = await cards(page).isVisible();
    await page.emulateMedia({ media: null });
    expect(isPrinted).toBe(false);
  });

  test('the newest of more toasts than a small screen has room for is scrolled into view', async () => {
    const page = await open({ viewport: { width: 320, height: 400 } });
    for (const position of TOAST_POSITIONS) {
      await show(page, { message: 'Nine words '.repeat(20), duration: 0, position });
      await page.clock.runFor(20);
      const { top = -1, bottom = 401 } = await page
        .locator(`.stack.${position} .close`)
        .evaluate((close) => close.getBoundingClientRect().toJSON());
      expect([position, top >= 0, bottom <= 400]).toEqual([position, true, true]);
    }
  });
});

/** Every text at the limit of the tool. */
const longest = {
  message: 'Nine words, and then the sentence begins once more. '.repeat(9),
  title: 'The title is as long as a title can be, and then some. '.repeat(2).slice(0, 99),
  severity: 'warning',
  duration: 0,
  actions: ['First', 'Second', 'Third'].map((label) => ({
    label,
    action: 'prompt' as const,
    prompt: `${label}: ${'show me all of the details '.repeat(4)}`,
  })),
} as const;

describeInBrowsers((open) => {
  const SIZES = [
    [600, 380],
    [1200, 760],
    [320, 256],
  ] as const;
  test.each(chosenRows(SIZES, 3))(
    'all parts of the longest toasts can be scrolled into view at %i x %i px',
    async (width, height) => {
      const page = await open('', [width, height]);
      const hidden = await page.evaluate(
        async ([toast, positions]) => {
          const { toaster, draw } = tools;
          for (const position of positions) toaster.show({ ...toast, position });
          await draw();
          const root = toaster.shadowRoot;
          return [...(root?.querySelectorAll('.card :is(.title, .close, .action)') ?? [])]
            .filter((part) => {
              part.scrollIntoView({ block: 'nearest' });
              const { left, right, top, bottom } = part.getBoundingClientRect();
              // In Firefox, elementFromPoint finds elements below the viewport too. It scrolls to parts of a pixel.
              const isInside = left >= 0 && top > -1 && right <= innerWidth && bottom < innerHeight + 1;
              const isHit = (x: number, y: number) => part.contains(root?.elementFromPoint(x, y) ?? null);
              return !isInside || !isHit(left + 8, top + 4) || !isHit(right - 8, bottom - 4);
            })
            .map((part) => [part.closest('.stack')?.className, part.textContent]);
        },
        [longest, TOAST_POSITIONS] as const,
      );
      expect(hidden).toEqual([]);
    },
  );
});

function frames(page: Page, message: string): Promise<readonly Frame[]> {
  return page.evaluate(readFrames, message);
}

const topOf = (page: Page, text: string) =>
  cards(page)
    .filter({ hasText: text })
    .evaluate((card) => card.getBoundingClientRect().top);

const error = (message: string) => ({ message, severity: 'error', duration: 0 }) as const;

describeInChromium(({ open }) => {
  const openMoving = async () => {
    const page = await open({ reducedMotion: 'no-preference', clock: false });
    await page.evaluate(holdAnimations);
    return page;
  };

  test('a new card slides in from the edge while those that it pushes glide', async () => {
    const page = await openMoving();
    await show(page, error('old'));
    await frames(page, 'old');
    const before = await topOf(page, 'old');
    await show(page, error('new'));
    const pushed = await frames(page, 'old');
    expect(pushed[0]?.top).toBeCloseTo(before, 0);
    expect((pushed.at(-1)?.top ?? 0) - before).toBeGreaterThan(40);
    expect(largestStep(pushed.map(({ top }) => top))).toBeLessThan(0.4);

    await show(page, error('newest'));
    const entered = await frames(page, 'newest');
    expect(entered[0]).toMatchObject({ opacity: 0 });
    expect(entered[0]?.top).toBeLessThan(-20);
    expect(entered.at(-1)).toMatchObject({ top: before, opacity: 1 });
    expect(largestStep(entered.map(({ top }) => top))).toBeLessThan(0.4);
  });

  test('a card that is pushed again while it glides goes on from where it is', async () => {
    const page = await openMoving();
    await show(page, error('old'));
    await frames(page, 'old');
    await show(page, error('new'));
    const [start, middle] = await page.evaluate(async () => {
      await new Promise(requestAnimationFrame);
      const root = document.querySelector('deskside-toaster')?.shadowRoot;
      const tops = [0, 100].map((time) => {
        for (const animation of root?.getAnimations() ?? []) animation.currentTime = time;
        return root?.querySelector('.card:last-child')?.getBoundingClientRect().top ?? Number.NaN;
      });
      return [tops[0] ?? Number.NaN, tops[1] ?? Number.NaN] as const;
    });
    expect(middle - start).toBeGreaterThan(10);
    await show(page, error('newest'));
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await topOf(page, 'old')).toBeCloseTo(middle, 0);
  });

  test('a pile spreads under the pointer and closes after it, with the newest card in its place', async () => {
    const page = await openMoving();
    for (const message of ['one', 'two', 'three']) {
      await show(page, { message, severity: 'info', duration: 0 });
      await frames(page, message);
    }
    const [piled, front] = [await topOf(page, 'one'), await topOf(page, 'three')];
    await cards(page).first().hover();
    const spread = await frames(page, 'one');
    expect(spread[0]?.top).toBeCloseTo(piled, 0);
    expect((spread.at(-1)?.top ?? 0) - piled).toBeGreaterThan(60);
    expect(largestStep(spread.map(({ top }) => top))).toBeLessThan(0.4);
    expect(await topOf(page, 'three')).toBe(front);
    expect(await messages(page)).toEqual(['three', 'two', 'one']);

    await show(page, { message: 'four', severity: 'info', position: 'bottom-right' });
    await page.mouse.move(10, 300);
    const closed = await frames(page, 'one');
    expect(closed.at(-1)?.top).toBeCloseTo(piled, 0);
    expect(largestStep(closed.map(({ top }) => top))).toBeLessThan(0.4);
  });

  test('a swiped card goes on from where the finger left it, and one that is released early glides back', async () => {
    const page = await open({ reducedMotion: 'no-preference', clock: false, hasTouch: true });
    await page.evaluate(holdAnimations);
    const touch = await page.context().newCDPSession(page);
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', x: number, y: number) =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
    await show(page, error('swiped'));
    await frames(page, 'swiped');
    const box = await cards(page).boundingBox();
    const [x, y, left] = [(box?.x ?? 0) + 60, (box?.y ?? 0) + 20, box?.x ?? 0];
    const swipe = async (distance: number) => {
      await send('touchStart', x, y);
      for (const part of [0.5, 1]) await send('touchMove', x + distance * part, y);
      await send('touchEnd', 0, 0);
    };
    await swipe(10);
    const back = await frames(page, 'swiped');
    expect(back[0]?.left).toBeCloseTo(left + 10, 0);
    expect(back.at(-1)?.left).toBeCloseTo(left, 0);
    await swipe(120);
    const gone = await frames(page, 'swiped');
    expect(gone[0]?.left).toBeCloseTo(left + 120, 0);
    expect(gone.every(({ left: at }, index) => at >= (gone[index - 1]?.left ?? 0))).toBe(true);
    expect(gone.at(-1)?.left).toBeGreaterThan(left + 300);
    await expect.poll(() => page.locator('.card').count()).toBe(0);
  });

  test('a finger opens a pile with a tap and closes it with a tap elsewhere', async () => {
    const page = await open({ hasTouch: true });
    for (const message of ['one', 'two']) await show(page, { message, severity: 'info' });
    const isOpen = () => page.locator('.stack.top-right').evaluate((stack) => stack.matches('.open'));
    await cards(page).first().locator('.message').tap();
    expect(await isOpen()).toBe(true);
    await page.clock.runFor(60_000);
    expect(await messages(page)).toEqual(['two', 'one']);
    await page.locator('h1').tap();
    expect(await isOpen()).toBe(false);
    await page.clock.runFor(5000);
    expect(await messages(page)).toEqual([]);
  });
});
