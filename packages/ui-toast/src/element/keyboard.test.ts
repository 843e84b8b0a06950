import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../testing/browser.ts';
import { cards, messages, show } from '../testing/toasts.ts';

const buildFailed = {
  message: 'Build failed - 3 tests failing',
  severity: 'error',
  actions: [
    { label: 'View Logs', action: 'prompt', prompt: 'show me the build logs' },
    { label: 'Dismiss', action: 'dismiss' },
  ],
} as const;

/** What has focus: inside of the toaster its label or text, else its id. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const inner = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement;
    return inner?.getAttribute('aria-label') ?? (inner?.id === '' ? inner.textContent : (inner?.id ?? ''));
  });
}

describeInBrowser('the keyboard', ({ open }) => {
  test('keeps its focus when toasts come and go', async () => {
    const page = await open({ html: '<input id="box">' });
    await page.locator('#box').focus();
    await show(page, buildFailed);
    await page.keyboard.type('still typing');
    await page.clock.runFor(60_000);
    expect([await focused(page), await page.locator('#box').inputValue()]).toEqual(['box', 'still typing']);
  });

  test('gets in by the hotkey to the newest toast, and out again to where it was', async () => {
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

  test('reaches and uses actions before they go', async () => {
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

  test('closes by Escape what has focus; focus goes on to the next, then back', async () => {
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

  test('comes back to where it came from by Tab, too, and time goes on', async () => {
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

  test('opens the centre where there is no toast, and closes it', async () => {
    const page = await open();
    await page.locator('#page-button').focus();
    await page.keyboard.press('F8');
    expect(await focused(page)).toBe('Notifications');
    await page.keyboard.press('Escape');
    expect([await page.locator('.centre').isVisible(), await focused(page)]).toEqual([false, 'page-button']);
  });

  test('has the hotkey the page chose, or none', async () => {
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
});

describeInBrowser('a modal dialog', ({ open }) => {
  const html = '<dialog id="dialog"><button id="inside">Inside</button></dialog>';

  test('has the toasts in it while it is open, and the page has them back afterwards', async () => {
    const page = await open({ html });
    await show(page, { message: 'before', severity: 'info', duration: 0 });
    await page.evaluate(() => document.querySelector('dialog')?.showModal());
    await show(page, { message: 'during', severity: 'info', duration: 0 });
    await cards(page).first().getByRole('button', { name: 'Close' }).click();
    expect(await messages(page)).toEqual(['during']);
    await page.keyboard.press('F8');
    await page.keyboard.press('Escape');
    expect([await messages(page), await page.locator('dialog').isVisible()]).toEqual([[], true]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('main + deskside-toaster').count()).toBe(1);
    await show(page, { message: 'after', severity: 'info', duration: 0 });
    await cards(page).getByRole('button', { name: 'Close' }).click();
    expect(await messages(page)).toEqual([]);
  });
});
