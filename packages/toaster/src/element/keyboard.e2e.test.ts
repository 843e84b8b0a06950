import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { cards, describeInChromium, messages, show } from '../testing/browser.ts';
import { pageScript } from '../testing/page-script.ts';

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

/** A modal dialog of Radix, which shadcn/ui uses, and its button. */
const RADIX = `
  import * as Dialog from '@radix-ui/react-dialog';
  import { createElement } from 'react';
  import { createRoot } from 'react-dom/client';
  const [fixed, described] = [{ position: 'fixed' }, { 'aria-describedby': undefined }];
  createRoot(document.querySelector('#root')).render(
    createElement(Dialog.Root, {},
      createElement(Dialog.Trigger, {}, 'Settings'),
      createElement(Dialog.Portal, {},
        createElement(Dialog.Overlay, { style: { ...fixed, inset: 0, background: '#0008' } }),
        createElement(Dialog.Content, { ...described, style: { ...fixed, inset: '40%', background: '#fff' } },
          createElement(Dialog.Title, {}, 'Settings of the chat'),
          createElement('input', { id: 'name', 'aria-label': 'Name' })))));`;

describeInChromium(({ open }) => {
  let radix: string;
  beforeAll(async () => {
    radix = await pageScript(RADIX, import.meta.dirname);
  });
  const openSettings = async () => {
    const page = await open({ html: '<div id="root"></div>', bypassCSP: true, clock: false });
    await page.addScriptTag({ content: radix });
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.locator('#name:focus').waitFor();
    return page;
  };

  test('toasts are announced and can be clicked while a modal dialog of Radix is open, which stays open', async () => {
    const page = await openSettings();
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
    const page = await openSettings();
    await page.keyboard.type('he');
    const actions = [{ label: 'Logs', action: 'prompt', prompt: 'show me the logs' }] as const;
    for (const message of ['one', 'two'])
      await show(page, { message, severity: 'error', duration: 0, actions });
    await page.keyboard.press('F8');
    expect(await focused(page)).toBe('Error: two');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Close');
    await page.keyboard.press('Enter');
    expect([await messages(page), await focused(page)]).toEqual([['one'], 'Error: one']);
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
