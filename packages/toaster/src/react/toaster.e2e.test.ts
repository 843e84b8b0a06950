import { expect, test } from 'vitest';
import { describeInChromium } from '../testing/browser.ts';
import { pageScript } from '../testing/page-script.ts';

const SETUP = `
  import { createElement, StrictMode, Suspense, useEffect, useRef, useState } from 'react';
  import { flushSync } from 'react-dom';
  import { createRoot } from 'react-dom/client';
  import { getToaster, Toaster } from './index.ts';
  const actions = [{ label: 'Logs', action: 'prompt', prompt: 'show me the logs' }];
  const failed = { id: 'failed', message: 'Failed', severity: 'error', duration: 0, actions };
  const root = createRoot(document.querySelector('#root'));
  globalThis.root = root;`;

/** A component shows a toast in its first effect, and another one with the ref of the element. */
const CHAT = `
  function Agent() {
    useEffect(() => void getToaster().show(failed), []);
  }
  function Chat() {
    const toaster = useRef(null);
    const [sent, setSent] = useState('');
    const onPrompt = ({ prompt }) => setSent(prompt);
    return createElement('div', {},
      createElement(Agent),
      createElement(Toaster, { ref: toaster, theme: 'dark', hotkey: 'F9', position: 'bottom-left', onPrompt }),
      createElement('button', { onClick: () => toaster.current.show(failed) }, 'Again'),
      createElement('output', {}, sent));
  }
  root.render(createElement(StrictMode, {}, createElement(Chat)));`;

const SUSPENDED = `
  let answer;
  const pending = new Promise((resolve) => { answer = resolve; });
  let isThere = true;
  function Data() {
    if (!isThere) throw pending;
    return 'data';
  }
  const prompts = [];
  const draw = () => flushSync(() => root.render(createElement(Suspense, { fallback: 'loading' },
    createElement(Data, { now: {} }), createElement(Toaster, { onPrompt: ({ prompt }) => prompts.push(prompt) }))));
  const show = () => getToaster().show(failed);
  const load = () => { isThere = true; answer(); };
  Object.assign(globalThis, { show, load, prompts, suspend: () => { isThere = false; draw(); } });
  draw();`;

describeInChromium(({ open }) => {
  /** A page that React draws. */
  const openReact = async (source: string) => {
    const page = await open({ html: '<div id="root"></div>', bypassCSP: true });
    await page.evaluate(() => document.querySelector('deskside-toaster')?.remove());
    await page.addScriptTag({
      content: await pageScript(SETUP + source, import.meta.dirname, 'development'),
    });
    return page;
  };

  test('<Toaster> in React is the element, which getToaster finds in a first effect, with props for attributes and events', async () => {
    const page = await openReact(CHAT);
    const toaster = page.locator('deskside-toaster[theme="dark"][hotkey="F9"]');
    await toaster.locator('.bottom-left').getByText('Failed').waitFor();
    expect(await page.locator('deskside-toaster').count()).toBe(1);
    await page.clock.runFor(1000);
    await page.getByRole('button', { name: 'Logs' }).click();
    await expect.poll(() => page.locator('output').textContent()).toBe('show me the logs');
    await page.getByRole('button', { name: 'Again' }).click();
    await toaster.locator('.bottom-left').getByText('Failed').waitFor();
    await page.evaluate('root.unmount()');
    expect(await page.locator('deskside-toaster').count()).toBe(0);
  });

  test('a Suspense boundary that shows its fallback again leaves the element in the page', async () => {
    const page = await openReact(SUSPENDED);
    await page.locator('#root').getByText('data').waitFor();
    await page.evaluate('suspend()');
    await page.locator('#root').getByText('loading').waitFor();
    await page.evaluate('show()');
    await page.evaluate('load()');
    await page.clock.runFor(1000);
    await page.locator('#root').getByText('data').waitFor();
    expect(await page.locator('deskside-toaster').count()).toBe(1);
    await page.getByRole('button', { name: 'Logs' }).click();
    await expect.poll(() => page.evaluate('prompts')).toEqual(['show me the logs']);
  });
});
