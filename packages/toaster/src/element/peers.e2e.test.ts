import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInChromium } from '../testing/browser.ts';
import { pageScript } from '../testing/page-script.ts';

/** Each sets `show(id, kind, text, duration)` and `shown()`: the texts that a person sees, the newest or front one first. */
const peers: Readonly<Record<string, string>> = {
  toaster: `
    const toaster = document.querySelector('deskside-toaster');
    const show = (id, kind, message, duration) => toaster[kind](message, { id, duration });
    const shown = () => [...toaster.shadowRoot.querySelectorAll('.stack .card:not(.under) .message')].map((p) => p.textContent);
    const recorded = () => toaster.history.map(({ notification }) => [notification.id, notification.message]);
    Object.assign(globalThis, { show, shown, recorded });`,
  sonner: `
    import { createElement } from 'react';
    import { createRoot } from 'react-dom/client';
    import { toast, Toaster } from 'sonner';
    createRoot(document.querySelector('main')).render(createElement(Toaster));
    const show = (id, kind, text, duration) => toast[kind](text, { id, duration });
    const shown = () => [...document.querySelectorAll('[data-sonner-toast][data-front=true] [data-title]')].map((title) => title.textContent);
    Object.assign(globalThis, { show, shown });`,
  'react-hot-toast': `
    import { createElement } from 'react';
    import { createRoot } from 'react-dom/client';
    import { toast, Toaster } from 'react-hot-toast';
    createRoot(document.querySelector('main')).render(createElement(Toaster));
    const show = (id, kind, text, duration) => (toast[kind] ?? toast)(text, { id, duration });
    const shown = () => [...document.querySelectorAll('[role=status]')].map((text) => text.textContent);
    Object.assign(globalThis, { show, shown });`,
};

const STAYS = Infinity;

function showAll(page: Page, toasts: readonly (readonly [string, string, string])[]): Promise<void> {
  return page.evaluate(
    ([given, duration]) => {
      for (const [id, kind, text] of given) Reflect.get(globalThis, 'show')(id, kind, text, duration);
    },
    [toasts, STAYS] as const,
  );
}

describeInChromium(({ open }) => {
  test.each(Object.keys(peers))('%s shows the newest toast and updates each by its id', async (name) => {
    const page = await open({ clock: false, bypassCSP: true });
    await page.addScriptTag({ content: await pageScript(peers[name] ?? '', import.meta.dirname) });
    await page.waitForFunction('globalThis.show !== undefined');
    const front = () => page.evaluate(() => Reflect.get(globalThis, 'shown')());

    await showAll(page, [
      ['1', 'info', 'FYI 1'],
      ['2', 'info', 'FYI 2'],
      ['3', 'info', 'FYI 3'],
      ['4', 'success', 'Deployed to production'],
    ]);
    await expect.poll(async () => (await front())[0]).toBe('Deployed to production');
    for (const id of ['a', 'b', 'c']) await showAll(page, [[id, 'success', 'Uploaded']]);
    await showAll(page, [['c', 'success', 'Upload of c is checked']]);
    await expect.poll(async () => (await front())[0]).toBe('Upload of c is checked');
    await showAll(page, [['b', 'error', 'Upload of b failed']]);
    if (name !== 'toaster') return;
    // An error is beside the pile, and every result is in the history as it is.
    expect(await front()).toEqual(['Upload of b failed', 'Upload of c is checked']);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'recorded')())).toEqual([
      ['b', 'Upload of b failed'],
      ['c', 'Upload of c is checked'],
      ['a', 'Uploaded'],
      ['4', 'Deployed to production'],
      ['3', 'FYI 3'],
      ['2', 'FYI 2'],
      ['1', 'FYI 1'],
    ]);
  });
});
