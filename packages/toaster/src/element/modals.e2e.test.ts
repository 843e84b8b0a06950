import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { cards, describeInChromium, messages, show } from '../testing/browser.ts';
import { buildRadixPage } from '../testing/radix-page.ts';

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

  test('a toaster that the page removes from a modal dialog stays removed', async () => {
    const page = await open({ html: '<dialog id="dialog"><button>Inside</button></dialog>' });
    await page.evaluate(() => document.querySelector('dialog')?.showModal());
    await expect.poll(() => page.locator('dialog > deskside-toaster').count()).toBe(1);
    await page.evaluate(() => {
      document.querySelector('deskside-toaster')?.remove();
      document.querySelector('dialog')?.close();
    });
    expect(await page.locator('deskside-toaster').count()).toBe(0);
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

  test('the toaster leaves a closed dialog also in browsers without toggle events on dialogs', async () => {
    const page = await open({ html: '<dialog id="dialog"><button>Inside</button></dialog>' });
    await page.evaluate(() =>
      addEventListener('toggle', (event) => event.stopImmediatePropagation(), { capture: true }),
    );
    await show(page, { message: 'one', severity: 'info', duration: 0 });
    await page.evaluate(() => document.querySelector('dialog')?.showModal());
    await expect.poll(() => page.locator('dialog > deskside-toaster').count()).toBe(1);
    await page.evaluate(() => document.querySelector('dialog')?.close());
    await expect.poll(() => page.locator('main + deskside-toaster').count()).toBe(1);
    expect(await cards(page).isVisible()).toBe(true);
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
