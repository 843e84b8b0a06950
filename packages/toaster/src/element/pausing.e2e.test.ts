import type { CDPSession, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { cards, describeInChromium, dismiss, messages, show } from '../testing/browser.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

describeInChromium(({ open }) => {
  test('the pointer over a toast pauses all toasts, and they keep the time that was left', async () => {
    const page = await open();
    await show(page, { message: 'one', severity: 'info' });
    await show(page, { message: 'two', severity: 'info', position: 'bottom-right' });
    await page.clock.runFor(4000);
    await cards(page).hover();
    await page.clock.runFor(60_000);
    expect([await messages(page), await messages(page, 'bottom-right')]).toEqual([['one'], ['two']]);
    await page.mouse.move(10, 300);
    await page.clock.runFor(999);
    expect(await messages(page)).toEqual(['one']);
    await page.clock.runFor(1);
    expect([await messages(page), await messages(page, 'bottom-right')]).toEqual([[], []]);
  });

  test('closing the hovered toast with a click ends the pause, and leaves focus in the page', async () => {
    const page = await open({ html: '<input id="box">' });
    await page.locator('#box').focus();
    await show(page, { message: 'closed', severity: 'info', position: 'top-right' });
    await show(page, { message: 'other', severity: 'info', position: 'bottom-right' });
    await cards(page).getByRole('button', { name: 'Close' }).click();
    await page.clock.runFor(5000);
    expect(await messages(page, 'bottom-right')).toEqual([]);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('box');
  });

  test('keyboard focus in a toast pauses it', async () => {
    const page = await open();
    await show(page, { message: 'one', severity: 'info' });
    await page.keyboard.press('F8');
    await page.clock.runFor(60_000);
    expect(await messages(page)).toEqual(['one']);
    await page.locator('#page-button').focus();
    await page.clock.runFor(5000);
    expect(await messages(page)).toEqual([]);
  });

  test('dismissing the focused toast ends the pause, even if the browser fires no focusout', async () => {
    const page = await open();
    await page.evaluate(() =>
      addEventListener('focusout', (event) => event.stopImmediatePropagation(), { capture: true }),
    );
    const id = await show(page, { message: 'one', severity: 'info' });
    await page.keyboard.press('F8');
    await dismiss(page, id);
    await show(page, { message: 'two', severity: 'info' });
    await page.clock.runFor(5000);
    expect(await messages(page)).toEqual([]);
  });

  test('a hidden tab pauses toasts', async () => {
    const page = await open();
    await show(page, { message: 'one', severity: 'info' });
    await page.clock.runFor(3000);
    await setVisibility(page, 'hidden');
    await page.clock.runFor(60_000);
    await setVisibility(page, 'visible');
    await page.clock.runFor(1999);
    expect(await messages(page)).toEqual(['one']);
    await page.clock.runFor(1);
    expect(await messages(page)).toEqual([]);
  });

  test('the time of a toast starts when its toaster is added to the page', async () => {
    const page = await open();
    await page.evaluate(() => {
      document.querySelector('deskside-toaster')?.remove();
      const toaster = document.createElement('deskside-toaster');
      toaster.show({ message: 'early', severity: 'info' });
      Object.assign(globalThis, { toaster });
    });
    await page.clock.runFor(60_000);
    await page.evaluate('document.body.append(toaster)');
    expect(await messages(page)).toEqual(['early']);
    await page.clock.runFor(5000);
    expect(await messages(page)).toEqual([]);
  });

  test('a finger on a toast pauses it, and a swipe towards the edge dismisses it', async () => {
    const page = await open({ hasTouch: true });
    const touch = await page.context().newCDPSession(page);
    await show(page, { message: 'held', severity: 'info' });
    const point = await middleOf(page);
    await drag(touch, point, { x: point.x + 20, y: point.y }, 'hold');
    await page.clock.runFor(60_000);
    expect(await messages(page)).toEqual(['held']);
    await touch.send('Input.dispatchTouchEvent', { type: 'touchCancel', touchPoints: [] });
    expect(await messages(page)).toEqual(['held']);
    await drag(touch, point, { x: point.x - 120, y: point.y });
    expect(await messages(page)).toEqual(['held']);
    await drag(touch, point, { x: point.x + 120, y: point.y });
    expect(await messages(page)).toEqual([]);
    await show(page, { message: 'upwards', severity: 'info', position: 'top-center' });
    const above = await middleOf(page);
    await drag(touch, above, { x: above.x, y: above.y - 60 });
    expect(await messages(page, 'top-center')).toEqual([]);
    await show(page, { message: 'gone while it is held', severity: 'info' });
    await drag(touch, point, { x: point.x + 20, y: point.y }, 'hold');
    await page.evaluate(() => document.querySelector('deskside-toaster')?.dismissAll());
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await show(page, { message: 'afterwards', severity: 'info' });
    await page.clock.runFor(5000);
    expect(await messages(page)).toEqual([]);
  });
});

/** Headless Chromium never hides a tab, so this sets the state and fires the event. */
async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => value === 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}

async function middleOf(page: Page): Promise<Point> {
  const box = await page.locator('.card:not(.leaving) .message').boundingBox();
  return { x: (box?.x ?? 0) + 60, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
}

async function drag(touch: CDPSession, from: Point, to: Point, end?: 'hold'): Promise<void> {
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [from] });
  for (const part of [0.3, 0.6, 1]) {
    const point = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
  }
  if (end !== 'hold') await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}
