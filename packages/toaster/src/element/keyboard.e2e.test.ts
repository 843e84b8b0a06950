import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { cards, describeInChromium, messages, show } from '../testing/browser.ts';
import { buildRadixPage } from '../testing/radix-page.ts';

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
    // It is meant for the page, and presses nothing.
    await page.keyboard.press('Enter');
    expect(await messages(page)).toHaveLength(2);
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
});

/** A component that opens a modal dialog in its shadow root. */
function openShadowDialog(): void {
  const component = document.createElement('div');
  component.id = 'component';
  document.body.append(component);
  const dialog = document.createElement('dialog');
  dialog.append(document.createElement('input'));
  component.attachShadow({ mode: 'open' }).append(dialog);
  dialog.showModal();
}

async function closeFirst(page: Page): Promise<void> {
  await cards(page).first().getByRole('button', { name: 'Close' }).click({ timeout: 3000 });
}

describeInChromium(({ open }) => {
  test('a modal dialog that is removed from the page gives the toaster back at once', async () => {
    const page = await open({ html: '<dialog id="dialog"><button>Inside</button></dialog>' });
    await show(page, { message: 'stays', severity: 'error', duration: 0 });
    await page.evaluate(() => document.querySelector('dialog')?.showModal());
    await expect.poll(() => page.locator('dialog > deskside-toaster').count()).toBe(1);
    await page.evaluate(() => document.querySelector('dialog')?.remove());
    expect(await page.locator('main + deskside-toaster').count()).toBe(1);
    expect([await messages(page), await cards(page).isVisible()]).toEqual([['stays'], true]);
    await page.keyboard.press('F8');
    await page.keyboard.press('Escape');
    expect(await messages(page)).toEqual([]);
  });

  test('toasts can be clicked while a modal dialog in a shadow root is open, and after it', async () => {
    const page = await open();
    for (const message of ['one', 'two']) await show(page, { message, severity: 'info', duration: 0 });
    await page.evaluate(openShadowDialog);
    await closeFirst(page);
    expect(await messages(page)).toEqual(['one']);
    await page.evaluate(() =>
      document.querySelector('#component')?.shadowRoot?.querySelector('dialog')?.close(),
    );
    await expect.poll(() => page.locator('main + deskside-toaster').count()).toBe(1);
    await closeFirst(page);
    expect(await messages(page)).toEqual([]);
  });

  test('toasts are announced and can be clicked while a modal dialog of Radix is open, which stays open', async () => {
    const page = await open({ html: '<div id="root"></div>', bypassCSP: true, clock: false });
    await page.addScriptTag({ content: await buildRadixPage() });
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('dialog', { name: 'Settings of the chat' }).waitFor();
    // Radix has hidden the page from screen readers.
    expect(await page.getByRole('heading', { name: 'Chat', exact: true }).count()).toBe(0);
    await show(page, { message: 'Connection lost', severity: 'error', duration: 0 });
    expect(await page.getByRole('alert').textContent()).toBe('Error: Connection lost');
    await page.getByRole('article', { name: 'Error: Connection lost' }).getByRole('button').click();
    expect(await messages(page)).toEqual([]);
    expect(await page.getByRole('dialog').count()).toBe(1);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('name');
    // A click beside the toasts closes it.
    await page.mouse.click(20, 600);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('the keyboard reaches the toasts and comes back while a modal dialog of Radix keeps the focus', async () => {
    const page = await open({ html: '<div id="root"></div>', bypassCSP: true, clock: false });
    await page.addScriptTag({ content: await buildRadixPage() });
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.locator('#name:focus').waitFor();
    await page.keyboard.type('he');
    const actions = [{ label: 'Logs', action: 'prompt', prompt: 'show me the logs' }] as const;
    for (const message of ['one', 'two'])
      await show(page, { message, severity: 'error', duration: 0, actions });
    await page.keyboard.press('F8');
    expect(await focusedLabel(page)).toBe('Error: two');
    await page.keyboard.press('Tab');
    expect(await focusedLabel(page)).toBe('Close');
    await page.keyboard.press('Enter');
    expect([await messages(page), await focusedLabel(page)]).toEqual([['one'], 'Error: one']);
    await page.keyboard.press('F8');
    await page.keyboard.type('ll');
    await page.keyboard.press('F8');
    await page.keyboard.press('Escape');
    expect([await messages(page), await page.getByRole('dialog').count()]).toEqual([[], 1]);
    await page.keyboard.type('o');
    expect(await page.locator('#name').inputValue()).toBe('hello');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });
});

function focusedLabel(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() =>
    (document.activeElement?.shadowRoot?.activeElement ?? document.activeElement)?.getAttribute('aria-label'),
  );
}
