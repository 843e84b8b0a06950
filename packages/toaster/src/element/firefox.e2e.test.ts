import type { Page } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { click, describeInFirefox, messages, show, swipe } from '../testing/firefox.ts';
import { buildRadixPage } from '../testing/radix-page.ts';

describeInFirefox((open) => {
  test('Firefox shows and announces an error at once while three persistent toasts are shown', async () => {
    const page = await open();
    for (const n of [1, 2, 3]) await show(page, { message: `FYI ${n}`, severity: 'info', duration: 0 });
    await show(page, { message: 'PRODUCTION IS DOWN', severity: 'error', duration: 0 });
    expect(await messages(page)).toEqual(['PRODUCTION IS DOWN', 'FYI 3', 'FYI 2', 'FYI 1']);
    const alert = await page.$eval('deskside-toaster >>> [role=alert]', (region) => ({
      text: region.textContent,
      atomic: region.getAttribute('aria-atomic'),
    }));
    expect(alert).toEqual({ text: 'Error: PRODUCTION IS DOWN', atomic: 'false' });
  });

  test('Firefox leaves focus and the caret in the page while toasts come, are clicked and expire', async () => {
    const page = await open();
    await page.click('#composer');
    await page.keyboard.type('he');
    const closed = closedToasts(page, 2);
    await show(page, { message: 'Saved', severity: 'success', duration: 0 });
    await click(page, '.message');
    await page.keyboard.type('ll');
    await click(page, '.close');
    await show(page, { id: 'gone', message: 'Gone to the archive', severity: 'info', duration: 0 });
    await selectText(page);
    expect(await focused(page)).toBe('Information: Gone to the archive');
    await page.evaluate(() => document.querySelector('deskside-toaster')?.update('gone', { duration: 1 }));
    await page.mouse.move(5, 600);
    await closed;
    await page.keyboard.type('o');
    expect(await page.$eval('#composer', (input) => input instanceof HTMLInputElement && input.value)).toBe(
      'hello',
    );
  });

  test('a toast in Firefox can be clicked while a modal dialog is open, and survives its removal', async () => {
    const page = await open('<dialog id="modal"><input></dialog>');
    await page.evaluate(() => document.querySelector('dialog')?.showModal());
    for (const message of ['one', 'two']) await show(page, { message, severity: 'error', duration: 0 });
    await click(page, '.close');
    expect(await messages(page)).toEqual(['one']);
    await page.evaluate(() => document.querySelector('dialog')?.remove());
    await page.waitForSelector('body > deskside-toaster >>> .card');
    expect(await messages(page)).toEqual(['one']);
    await click(page, '.close');
    expect(await messages(page)).toEqual([]);
  });

  test('a toast in Firefox can be clicked while a modal dialog in a shadow root is open', async () => {
    const page = await open('<div id="component"></div>');
    const toaster = await page.$('deskside-toaster');
    await page.evaluate(() => {
      const dialog = document.createElement('dialog');
      dialog.append(document.createElement('input'));
      document.querySelector('#component')?.attachShadow({ mode: 'open' }).append(dialog);
      dialog.showModal();
    });
    await toaster?.evaluate((element) => element.show({ message: 'one', severity: 'info', duration: 0 }));
    await click(page, '.close', '#component >>> deskside-toaster');
    expect(await toaster?.evaluate((element) => element.shadowRoot?.querySelector('.card'))).toBeNull();
  });

  test('a toast in Firefox can be clicked while a modal dialog of Radix is open, which stays open', async () => {
    const page = await open('<div id="root"></div>');
    await page.addScriptTag({ content: await buildRadixPage() });
    await (await page.waitForSelector('#root button'))?.click();
    await page.waitForSelector('#name:focus');
    await show(page, { message: 'one', severity: 'error', duration: 0 });
    await click(page, '.close');
    expect(await messages(page)).toEqual([]);
    const hidden = await page.$eval('deskside-toaster', (toaster) =>
      toaster.closest('[aria-hidden], [inert]'),
    );
    expect(hidden).toBeNull();
    expect(await page.$$eval('[role=dialog]', (dialogs) => dialogs.length)).toBe(1);
    await show(page, { message: 'two', severity: 'error', duration: 0 });
    await page.keyboard.press('F8');
    expect(await focused(page)).toBe('Error: two');
    await page.keyboard.press('Escape');
    expect([await messages(page), await focused(page)]).toEqual([[], 'Name']);
    expect(await page.$$eval('[role=dialog]', (dialogs) => dialogs.length)).toBe(1);
  });

  test('a finger swipes a toast away in Firefox, and a short swipe leaves it', async () => {
    const page = await open();
    await show(page, { message: 'Swipe me', severity: 'info', duration: 0 });
    await swipe(page, 8);
    expect(await messages(page)).toEqual(['Swipe me']);
    await swipe(page, 120);
    expect(await messages(page)).toEqual([]);
  });

  test('F8 moves focus to the newest toast in Firefox, Escape closes it, and focus goes back', async () => {
    const page = await open();
    await page.focus('#composer');
    await show(page, { message: 'Saved', severity: 'success', duration: 0 });
    await page.keyboard.press('F8');
    expect(await focused(page)).toBe('Success: Saved');
    await page.keyboard.press('Escape');
    expect(await messages(page)).toEqual([]);
    expect(await focused(page)).toBe('Message');
  });

  test('the notification center in Firefox keeps focus and scroll position when a toast arrives', async () => {
    const page = await open();
    const actions = [{ label: 'Logs', action: 'prompt', prompt: 'show me the logs' }] as const;
    for (let n = 1; n <= 12; n += 1) {
      await show(page, { message: `Build ${n}`, severity: 'error', actions: [...actions] });
    }
    await page.evaluate(() => document.querySelector('deskside-toaster')?.openCenter());
    await page.$$eval('deskside-toaster >>> ol .action', (buttons) => {
      const last = buttons.at(-1);
      if (last instanceof HTMLElement) last.focus();
    });
    const state = () =>
      page.$eval('deskside-toaster >>> ol', (list) => ({
        card: list.querySelector(':focus')?.closest('article')?.getAttribute('aria-label'),
        isScrolled: list.scrollTop > 100,
      }));
    expect(await state()).toEqual({ card: 'Error: Build 1', isScrolled: true });
    await show(page, { message: 'Build 13', severity: 'error' });
    expect(await state()).toEqual({ card: 'Error: Build 1', isScrolled: true });
    await page.keyboard.press('Escape');
    expect(await page.$('deskside-toaster >>> .center:not([hidden])')).toBeNull();
  });

  test('toasts at all positions stay in view in Firefox at a width of 320 px', async () => {
    const page = await open('', 320);
    for (const position of ['top-right', 'top-center', 'bottom-right'] as const) {
      const message = 'Workflow deployed successfully to production with all of its dependencies';
      await show(page, { message, severity: 'error', duration: 0, position });
    }
    const boxes = await page.$$eval('deskside-toaster >>> .card', (cards) =>
      cards.map((card) => {
        const { left, right, top, bottom } = card.getBoundingClientRect();
        return { left, right, top, bottom };
      }),
    );
    expect(boxes).toHaveLength(3);
    for (const { left, right } of boxes) {
      expect(left).toBeGreaterThanOrEqual(0);
      expect(right).toBeLessThanOrEqual(320);
    }
    const byTop = boxes.toSorted((a, b) => a.top - b.top);
    byTop.slice(1).forEach(({ top }, index) => expect(top).toBeGreaterThanOrEqual(byTop[index]?.bottom ?? 0));
  });
});

/** Resolves when so many toasts have closed. */
function closedToasts(page: Page, count: number): Promise<void> {
  return page.evaluate(
    (wanted) =>
      new Promise<void>((resolve) => {
        let closed = 0;
        document.addEventListener('deskside-close', () => {
          closed += 1;
          if (closed === wanted) resolve();
        });
      }),
    count,
  );
}

/** Selects the text of the toast with the mouse, which moves the focus to the toast. */
async function selectText(page: Page): Promise<void> {
  const message = await page.waitForSelector('deskside-toaster >>> .message', { visible: true });
  const { x = 0, y = 0 } = (await message?.boundingBox()) ?? {};
  await page.mouse.move(x + 5, y + 10);
  await page.mouse.down();
  await page.mouse.move(x + 80, y + 10);
  await page.mouse.up();
}

/** The accessible name of the focused element. */
function focused(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => {
    const { activeElement } = document;
    return (activeElement?.shadowRoot?.activeElement ?? activeElement)?.getAttribute('aria-label');
  });
}
