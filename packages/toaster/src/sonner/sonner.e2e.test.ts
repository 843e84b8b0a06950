import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Notification } from '../index.ts';
import { describeInChromium } from '../testing/browser.ts';
import { pageScript } from '../testing/page-script.ts';

/** A page with sonner, as shadcn/ui has it. */
const source = `
  import { createElement } from 'react';
  import { createRoot } from 'react-dom/client';
  import { toast, Toaster } from 'sonner';
  import { sonnerToaster } from './index.ts';
  createRoot(document.body.appendChild(document.createElement('div'))).render(createElement(Toaster));
  const prompts = [];
  const toaster = sonnerToaster(toast, { onPrompt: ({ prompt, label }) => {
    prompts.push([label, prompt]);
    if (prompt === 'keep') return false;
    if (prompt === 'fail') return Promise.reject(new Error('offline'));
  } });
  Object.assign(globalThis, { toast, prompts, toaster });`;

let script: string;
beforeAll(async () => {
  script = await pageScript(source, import.meta.dirname);
});

let lastTime = Date.now();

function result(changes: Partial<Notification>): Notification {
  const timestamp = new Date((lastTime += 1)).toISOString();
  return {
    id: 'deploy',
    message: 'Deploying',
    severity: 'info',
    duration: 0,
    position: 'top-right',
    timestamp,
    ...changes,
  };
}

function show(page: Page, notification: Notification): Promise<void> {
  return page.evaluate((given) => Reflect.get(globalThis, 'toaster').show(given), notification);
}

const toasts = (page: Page) => page.locator('[data-sonner-toast]');

describeInChromium(({ open }) => {
  const openSonner = async () => {
    const page = await open({ clock: false, bypassCSP: true });
    await page.addScriptTag({ content: script });
    return page;
  };

  test('sonner shows the notification of a tool once, among the toasts of the page, and updates it by its id', async () => {
    const page = await openSonner();
    await page.evaluate('toast("Event has been created")');
    const deploying = result({ loading: true });
    await show(page, deploying);
    await show(page, deploying);
    await expect.poll(() => toasts(page).count()).toBe(2);
    expect(await toasts(page).first().getAttribute('data-type')).toBe('loading');
    await show(page, result({ message: 'Deployed', severity: 'success', title: 'Production' }));
    await expect.poll(() => toasts(page).first().getAttribute('data-type')).toBe('success');
    expect(await toasts(page).first().innerText()).toBe('Production\nDeployed');
    await show(page, deploying);
    expect(await toasts(page).count()).toBe(2);
    await show(page, result({ severity: 'warning', ended: true }));
    await expect.poll(() => toasts(page).first().innerText()).toBe('Deploying\nEnded without a result');
    await page.reload();
    await page.addScriptTag({ content: script });
    await show(page, deploying);
    await page.evaluate('toast("Event has been created")');
    await toasts(page).first().waitFor();
    expect(await toasts(page).count()).toBe(1);
  });

  test('a button in sonner has its prompt below it, and one click gives it to the page', async () => {
    const page = await openSonner();
    const prompt = 'show me the\u202E logs';
    const actions = [
      { label: 'View Logs', action: 'prompt', prompt },
      { label: 'Keep', action: 'prompt', prompt: 'keep' },
      { label: 'Fail', action: 'prompt', prompt: 'fail' },
    ] as const;
    await show(page, result({ message: '<b>Build failed</b>', severity: 'error', actions }));
    expect(await toasts(page).locator('[data-title]').innerText()).toBe('<b>Build failed</b>');
    const button = (name: string) => toasts(page).getByRole('button', { name });
    for (const name of ['Keep', 'Fail']) {
      await button(name).click();
      await expect.poll(() => button(name).isEnabled()).toBe(true);
    }
    const escaped = String.raw`show me the\u{202e} logs`;
    expect(await button('View Logs').locator('+ q').innerText()).toBe(escaped);
    await button('View Logs').click();
    await expect.poll(() => toasts(page).count()).toBe(0);
    expect(await page.evaluate('prompts')).toEqual([
      ['Keep', 'keep'],
      ['Fail', 'fail'],
      ['View Logs', escaped],
    ]);
  });

  test('of a long prompt in sonner three lines are shown, all of it after a click, which sends nothing', async () => {
    const page = await openSonner();
    const prompt = 'show me all of the details '.repeat(70).trim();
    await show(page, result({ actions: [{ label: 'Details', action: 'prompt', prompt }] }));
    const text = toasts(page).locator('q');
    const isCut = () => text.evaluate(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight);
    await text.waitFor();
    expect([await isCut(), await text.innerText()]).toEqual([true, prompt]);
    await toasts(page).getByRole('button', { name: 'Details' }).click();
    expect([await isCut(), await page.evaluate('prompts')]).toEqual([false, []]);
    await toasts(page).getByRole('button', { name: 'Details' }).click();
    await expect.poll(() => toasts(page).count()).toBe(0);
    expect(await page.evaluate('prompts')).toEqual([['Details', prompt]]);
  });
});
