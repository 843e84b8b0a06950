import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInChromium, messages, openCenter, show } from '../testing/browser.ts';

async function showMany(page: Page): Promise<void> {
  for (let n = 1; n <= 30; n += 1) {
    const actions = [{ label: `Action ${n}`, action: 'prompt', prompt: `do ${n}` }] as const;
    await show(page, { message: `message ${n}`, severity: 'info', duration: 1, actions });
  }
  await page.clock.runFor(600_000);
}

function focusedText(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent);
}

describeInChromium(({ open }) => {
  test('the notification center keeps focus and scroll position while notifications arrive and repeat', async () => {
    const page = await open();
    await showMany(page);
    await openCenter(page);
    const action = page.locator('.center .action', { hasText: 'do 12' });
    await action.focus();
    const top = () => action.evaluate((button) => Math.round(button.getBoundingClientRect().top));
    const before = await top();
    await show(page, { message: 'new', severity: 'info' });
    await show(page, { message: 'new', severity: 'info' });
    expect(await focusedText(page)).toContain('do 12');
    expect(await page.locator('.center .message').first().textContent()).toBe('new');
    expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
    await page.keyboard.press('Escape');
    expect(await page.locator('.center').isVisible()).toBe(false);
  });

  test('the focused action keeps focus if its own notification comes again', async () => {
    const page = await open();
    const actions = [{ label: 'Retry', action: 'prompt', prompt: 'retry' }] as const;
    const failed = { id: 'job', message: 'failed', severity: 'info', actions, duration: 0 } as const;
    await show(page, failed);
    await openCenter(page);
    await page.locator('.center .action').focus();
    await show(page, { ...failed, message: 'failed again' });
    expect(await focusedText(page)).toContain('Retry');
    expect(await page.locator('.center .message').allTextContents()).toEqual(['failed again']);
  });

  test('Clear all leaves focus in the notification center, and Escape closes it', async () => {
    const page = await open();
    await showMany(page);
    await page.locator('#page-button').focus();
    await openCenter(page);
    await page.getByRole('button', { name: 'Clear all' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('.center .card').count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await page.locator('.center').isVisible()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('page-button');
  });

  test('the center tells how many notifications came since it was open, and marks them', async () => {
    const page = await open();
    await page.evaluate(() => {
      const counts: number[] = [];
      Object.assign(globalThis, { counts });
      document.querySelector('deskside-toaster')?.addEventListener('deskside-unread', (event) => {
        counts.push(event.detail);
      });
    });
    await show(page, { message: 'one', severity: 'info' });
    await openCenter(page);
    await page.keyboard.press('Escape');
    for (const id of ['two', 'three', 'three']) await show(page, { id, message: id, severity: 'info' });
    expect(await page.evaluate(() => document.querySelector('deskside-toaster')?.unread)).toBe(2);
    await openCenter(page);
    expect(await page.locator('.center .unread .message').allTextContents()).toEqual(['three', 'two']);
    await show(page, { message: 'four', severity: 'info' });
    expect(await page.evaluate('counts')).toEqual([1, 0, 1, 2, 0]);
    expect(await page.evaluate(() => document.querySelector('deskside-toaster')?.unread)).toBe(0);
  });

  test('an entry of the center is removed with its button, and the next one gets focus', async () => {
    const page = await open();
    for (const message of ['one', 'two', 'three']) await show(page, { message, severity: 'info' });
    await openCenter(page);
    await page.locator('.center li').nth(1).getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('.center .message').allTextContents()).toEqual(['three', 'one']);
    await page.keyboard.press('Enter');
    expect(await page.locator('.center .message').allTextContents()).toEqual(['three']);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await page.locator('.center').isVisible()).toBe(false);
  });

  test('the center says how long ago a notification came, in the language of the page', async () => {
    const page = await open();
    await show(page, { message: 'one', severity: 'info' });
    await openCenter(page);
    const time = page.locator('.center time');
    expect(await time.textContent()).toBe('now');
    await page.clock.runFor(5 * 60_000);
    expect(await time.textContent()).toBe('5 minutes ago');
    await page.evaluate(() => {
      document.documentElement.lang = 'de';
    });
    await page.clock.runFor(2 * 3_600_000);
    expect(await time.textContent()).toBe('vor 2 Stunden');
  });

  test('an empty center offers nothing to clear, and new labels are shown at once', async () => {
    const page = await open();
    await openCenter(page);
    expect(await page.getByRole('button', { name: 'Clear all' }).isVisible()).toBe(false);
    await show(page, { message: 'one', severity: 'info' });
    expect(await page.getByRole('button', { name: 'Clear all' }).isVisible()).toBe(true);
    await page.evaluate(() =>
      Object.assign(document.querySelector('deskside-toaster') ?? {}, {
        labels: { clear: 'Alle löschen', info: 'Hinweis' },
      }),
    );
    expect(await page.getByRole('button', { name: 'Alle löschen' }).isVisible()).toBe(true);
    for (const card of await page.locator('.card').all()) {
      expect(await card.getAttribute('aria-label')).toBe('Hinweis: one');
    }
  });

  test('a click outside the notification center closes it, and so does Escape in the page', async () => {
    const page = await open();
    await openCenter(page);
    await page.mouse.click(100, 500);
    expect(await page.locator('.center').isVisible()).toBe(false);
    await openCenter(page);
    await page.locator('#page-button').focus();
    await page.keyboard.press('Escape');
    expect(await page.locator('.center').isVisible()).toBe(false);
  });

  test('a click on the text of a toast leaves focus in the text that the person writes', async () => {
    const page = await open({ html: '<input id="box">' });
    await show(page, { message: 'Saved to the archive', severity: 'info' });
    await page.locator('#box').focus();
    await page.keyboard.type('he');
    await page.locator('.stack .message').click();
    await page.keyboard.type('llo');
    expect(await page.locator('#box').inputValue()).toBe('hello');
  });

  test('focus goes back to the page if a toast expires whose text the person has selected', async () => {
    const page = await open({ html: '<input id="box">' });
    await show(page, { message: 'Saved to the archive', severity: 'info' });
    await page.locator('#box').focus();
    const text = await page.locator('.stack .message').boundingBox();
    await page.mouse.move((text?.x ?? 0) + 5, (text?.y ?? 0) + 10);
    await page.mouse.down();
    await page.mouse.move((text?.x ?? 0) + 100, (text?.y ?? 0) + 10);
    await page.mouse.up();
    await page.mouse.move(10, 300);
    await page.clock.runFor(5000);
    expect(await messages(page)).toEqual([]);
    await page.keyboard.type('hello');
    expect(await page.locator('#box').inputValue()).toBe('hello');
  });

  test('the center works in a page whose language is not a valid tag', async () => {
    const page = await open();
    await page.evaluate(() => {
      document.documentElement.lang = 'en_US';
    });
    await show(page, { message: 'one', severity: 'info' });
    await openCenter(page);
    await show(page, { message: 'two', severity: 'info' });
    expect(await page.locator('.center time').allTextContents()).toEqual(['now', 'now']);
  });

  test('closing a center that is closed keeps what is unread', async () => {
    const page = await open();
    await show(page, { message: 'one', severity: 'info' });
    const unread = await page.evaluate(() => {
      const toaster = document.querySelector('deskside-toaster');
      toaster?.closeCenter();
      return toaster?.unread;
    });
    expect(unread).toBe(1);
  });
});
