import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { cards, describeInChromium, messages, show } from '../testing/browser.ts';

const buildFailed = {
  message: 'Build failed - 3 tests failing',
  severity: 'error',
  actions: [
    { label: 'View Logs', action: 'prompt', prompt: 'show me the build logs' },
    { label: 'Dismiss', action: 'dismiss' },
  ],
} as const;

/** The focused element: its label, id or text. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const inner = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement;
    return inner?.getAttribute('aria-label') ?? (inner?.id === '' ? inner.textContent : (inner?.id ?? ''));
  });
}

describeInChromium(({ open }) => {
  test('toasts that come and go leave focus in the page', async () => {
    const page = await open({ html: '<input id="box">' });
    await page.locator('#box').focus();
    await show(page, buildFailed);
    await page.keyboard.type('still typing');
    await page.clock.runFor(60_000);
    expect([await focused(page), await page.locator('#box').inputValue()]).toEqual(['box', 'still typing']);
  });

  test('the hotkey moves focus to the newest toast, and back to where it was', async () => {
    const page = await open();
    await page.locator('#page-button').focus();
    await show(page, { message: 'older', severity: 'info' });
    await page.clock.runFor(10);
    await show(page, buildFailed);
    await page.keyboard.press('F8');
    expect(await focused(page)).toBe('Error: Build failed - 3 tests failing');
    await page.keyboard.press('F8');
    expect(await focused(page)).toBe('page-button');
  });

  test('the keyboard reaches and uses an action before the toast closes', async () => {
    const page = await open();
    await page.evaluate(() => {
      addEventListener('deskside-prompt', (event) => {
        if (event instanceof CustomEvent) document.title = event.detail.prompt;
      });
    });
    await page.locator('#page-button').focus();
    await show(page, buildFailed);
    await page.clock.runFor(4900);
    await page.keyboard.press('F8');
    await page.clock.runFor(60_000);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('View Logsshow me the build logs');
    await page.keyboard.press('Enter');
    expect([await page.title(), await messages(page), await focused(page)]).toEqual([
      'show me the build logs',
      [],
      'page-button',
    ]);
  });

  test('Escape closes the focused toast; focus moves to the next toast, then back to the page', async () => {
    const page = await open();
    await page.locator('#page-button').focus();
    await show(page, { message: 'one', severity: 'info', duration: 0 });
    await show(page, { message: 'two', severity: 'info', duration: 0, position: 'bottom-right' });
    await cards(page).focus();
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe('Information: two');
    await page.locator('#page-button').focus();
    await page.keyboard.press('F8');
    await page.keyboard.press('Escape');
    expect([await messages(page, 'bottom-right'), await focused(page)]).toEqual([[], 'page-button']);
  });

  test('focus that came by Tab goes back to the page after dismissAll, and the time of later toasts runs', async () => {
    const page = await open();
    for (const message of ['one', 'two']) await show(page, { message, severity: 'info' });
    await page.locator('#page-button').focus();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Close');
    await page.evaluate(() => document.querySelector('deskside-toaster')?.dismissAll());
    expect([await messages(page), await focused(page)]).toEqual([[], 'page-button']);
    await page.evaluate(() => document.querySelector('button')?.blur());
    await show(page, { message: 'three', severity: 'info' });
    await page.keyboard.press('F8');
    await page.keyboard.press('Escape');
    await show(page, { message: 'four', severity: 'info' });
    await page.clock.runFor(5000);
    expect(await messages(page)).toEqual([]);
  });

  test('the hotkey opens the notification center if there is no toast, and Escape closes it', async () => {
    const page = await open();
    await page.locator('#page-button').focus();
    await page.keyboard.press('F8');
    expect(await focused(page)).toBe('Notifications');
    await page.keyboard.press('Escape');
    expect([await page.locator('.center').isVisible(), await focused(page)]).toEqual([false, 'page-button']);
  });

  test('the attribute hotkey changes the key, and an empty one removes it', async () => {
    const page = await open({ toaster: 'hotkey="F9"' });
    await show(page, buildFailed);
    await page.keyboard.press('F8');
    expect(await focused(page)).not.toContain('Build failed');
    await page.keyboard.press('F9');
    expect(await focused(page)).toContain('Build failed');
    expect(await page.locator('.layer').getAttribute('aria-label')).toBe('Notifications (F9)');
    const without = await open({ toaster: 'hotkey=""' });
    expect(await without.locator('.layer').getAttribute('aria-label')).toBe('Notifications');
  });

  test('the toaster moves into a modal dialog while one is open, and back afterwards', async () => {
    const page = await open({ html: '<dialog id="dialog"><button id="inside">Inside</button></dialog>' });
    await show(page, { message: 'before', severity: 'info', duration: 0 });
    await page.evaluate(() => document.querySelector('dialog')?.showModal());
    await show(page, { message: 'during', severity: 'info', duration: 0 });
    await cards(page).first().getByRole('button', { name: 'Close' }).click();
    expect(await messages(page)).toEqual(['before']);
    await page.keyboard.press('F8');
    await page.keyboard.press('Escape');
    expect([await messages(page), await page.locator('dialog').isVisible()]).toEqual([[], true]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('main + deskside-toaster').count()).toBe(1);
    await show(page, { message: 'after', severity: 'info', duration: 0 });
    await cards(page).getByRole('button', { name: 'Close' }).click();
    expect(await messages(page)).toEqual([]);
  });

  test('the hotkey moves focus back also if nothing in the page had it, and time runs again', async () => {
    const page = await open();
    await show(page, { message: 'one', severity: 'info' });
    await page.keyboard.press('F8');
    await page.keyboard.press('F8');
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    await page.clock.runFor(5000);
    expect(await messages(page)).toEqual([]);
  });

  test('a click into a field in the body of a toast leaves focus there', async () => {
    const page = await open({ html: '<input id="box">' });
    await page.evaluate(() => {
      const body = Object.assign(document.createElement('input'), { id: 'reply' });
      document.querySelector('deskside-toaster')?.info('Reply', { duration: 0, body });
    });
    await page.locator('#box').focus();
    await page.locator('#reply').click();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('reply');
  });
});
