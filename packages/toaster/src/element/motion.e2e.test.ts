import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { cards, describeInChromium, messages, show } from '../testing/browser.ts';
import { type Frame, framesOf, holdAnimations, largestStep, readFrames } from '../testing/motion.ts';

function frames(page: Page, message: string): Promise<readonly Frame[]> {
  return page.evaluate(readFrames, framesOf(message));
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

  test('the cards below one that closes glide up while it fades', async () => {
    const page = await openMoving();
    for (const message of ['bottom', 'middle', 'top']) {
      await show(page, error(message));
      await frames(page, message);
    }
    const before = await topOf(page, 'bottom');
    await cards(page).nth(1).getByRole('button', { name: 'Close' }).click();
    const moved = await frames(page, 'bottom');
    expect(moved[0]?.top).toBeCloseTo(before, 0);
    expect(before - (moved.at(-1)?.top ?? 0)).toBeGreaterThan(40);
    expect(largestStep(moved.map(({ top }) => top))).toBeLessThan(0.4);
    await expect.poll(() => page.locator('.card').count()).toBe(2);
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

  test('a card that falls out of its pile fades in its place, as large as it was', async () => {
    const page = await openMoving();
    for (const message of ['one', 'two', 'three']) {
      await show(page, { message, severity: 'info', duration: 0 });
      await frames(page, message);
    }
    const box = (selector: string) =>
      page.locator(selector).evaluate((card) => card.getBoundingClientRect().toJSON());
    const before = await box('.stack.top-right .card:last-child');
    await show(page, { message: 'four', severity: 'info', duration: 0 });
    const leaving = await box('.leaving');
    expect(Math.abs(leaving.top - before.top)).toBeLessThan(1);
    expect(Math.abs(leaving.height - before.height)).toBeLessThan(1);
    const fading = await frames(page, 'one');
    expect(fading.at(-1)?.opacity).toBe(0);
  });

  test('a card that comes while the person points at the stack does not move the others', async () => {
    const page = await openMoving();
    await show(page, { message: 'one', severity: 'info', duration: 0 });
    await frames(page, 'one');
    await cards(page).hover();
    const before = await topOf(page, 'one');
    await show(page, error('urgent'));
    await frames(page, 'urgent');
    expect(await topOf(page, 'one')).toBe(before);
    expect(await messages(page)).toEqual(['one', 'urgent']);
    await page.mouse.move(10, 300);
    expect(await messages(page)).toEqual(['urgent', 'one']);
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

  test('nothing moves if the person prefers reduced motion', async () => {
    const page = await open();
    for (const message of ['one', 'two']) await show(page, { message, severity: 'info', duration: 0 });
    await cards(page).first().hover();
    const running = await page.evaluate(
      () => document.querySelector('deskside-toaster')?.shadowRoot?.getAnimations().length,
    );
    expect(running).toBe(0);
  });
});
