import { expect, test } from 'vitest';
import { describeInChromium } from '../testing/browser.ts';
import { pageScript } from '../testing/page-script.ts';

const chat = `
  import { createElement, StrictMode, useRef, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  import { Toaster } from './index.ts';

  function Chat() {
    const toaster = useRef(null);
    const [sent, setSent] = useState('');
    const actions = [{ label: 'Logs', action: 'prompt', prompt: 'show me the logs' }];
    return createElement('div', {},
      createElement(Toaster, { ref: toaster, theme: 'dark', hotkey: 'F9', onPrompt: ({ prompt }) => setSent(prompt) }),
      createElement('button', { onClick: () => toaster.current.show({ message: 'Failed', severity: 'error', actions }) }, 'Fail'),
      createElement('output', {}, sent));
  }
  window.root = createRoot(document.querySelector('#root'));
  window.root.render(createElement(StrictMode, {}, createElement(Chat)));
`;

describeInChromium(({ open }) => {
  /** A page that React draws. */
  const openReact = async (source: string) => {
    const page = await open({ html: '<div id="root"></div>', bypassCSP: true });
    await page.evaluate(() => document.querySelector('deskside-toaster')?.remove());
    await page.addScriptTag({ content: await pageScript(source, import.meta.dirname, 'development') });
    return page;
  };

  test('<Toaster> in React is the element, with props for attributes and events', async () => {
    const page = await openReact(chat);
    await page.getByRole('button', { name: 'Fail' }).click();
    const toaster = page.locator('deskside-toaster[theme="dark"][hotkey="F9"]');
    expect(await toaster.count()).toBe(1);
    await page.clock.runFor(1000);
    await page.getByRole('button', { name: 'Logs' }).click();
    await expect.poll(() => page.locator('output').textContent()).toBe('show me the logs');
    await page.evaluate('root.unmount()');
    expect(await page.locator('deskside-toaster').count()).toBe(0);
  });

  test('getToaster in the first effect of a component finds the element of <Toaster>', async () => {
    const source = `
      import { createElement, Fragment, useEffect, useState } from 'react';
      import { createRoot } from 'react-dom/client';
      import { getToaster, Toaster } from './index.ts';
      function Agent() {
        useEffect(() => {
          const actions = [{ label: 'Logs', action: 'prompt', prompt: 'show me the logs' }];
          getToaster().show({ message: 'Failed', duration: 0, actions });
        }, []);
      }
      function Chat() {
        const [sent, setSent] = useState('');
        const onPrompt = ({ prompt }) => setSent(prompt);
        return createElement(Fragment, {},
          createElement(Agent), createElement(Toaster, { theme: 'dark', position: 'bottom-left', onPrompt }),
          createElement('output', {}, sent));
      }
      createRoot(document.querySelector('#root')).render(createElement(Chat));`;
    const page = await openReact(source);
    await page.locator('deskside-toaster .bottom-left').getByText('Failed').waitFor();
    const themes = await page
      .locator('deskside-toaster')
      .evaluateAll((all) => all.map((each) => each.getAttribute('theme')));
    expect(themes).toEqual(['dark']);
    await page.clock.runFor(1000);
    await page.getByRole('button', { name: 'Logs' }).click();
    await expect.poll(() => page.locator('output').textContent()).toBe('show me the logs');
  });

  test('a Suspense boundary that shows its fallback again leaves the element in the page', async () => {
    const source = `
      import { createElement, Suspense, useState } from 'react';
      import { flushSync } from 'react-dom';
      import { createRoot } from 'react-dom/client';
      import { getToaster, Toaster } from './index.ts';
      let answer;
      const pending = new Promise((resolve) => { answer = resolve; });
      let isThere = true;
      function Data() {
        if (!isThere) throw pending;
        return 'data';
      }
      const root = createRoot(document.querySelector('#root'));
      const prompts = [];
      const draw = () => flushSync(() => root.render(createElement(Suspense, { fallback: 'loading' },
        createElement(Data, { now: {} }), createElement(Toaster, { onPrompt: ({ prompt }) => prompts.push(prompt) }))));
      const show = () => getToaster().show({ message: 'Failed', duration: 0, actions: [{ label: 'Logs', action: 'prompt', prompt: 'logs' }] });
      const load = () => { isThere = true; answer(); };
      Object.assign(globalThis, { draw, show, load, prompts, suspend: () => { isThere = false; draw(); } });
      draw();`;
    const page = await openReact(source);
    await page.locator('#root').getByText('data').waitFor();
    await page.evaluate('suspend()');
    await page.locator('#root').getByText('loading').waitFor();
    await page.evaluate('show()');
    await page.evaluate('load()');
    await page.clock.runFor(1000);
    await page.locator('#root').getByText('data').waitFor();
    expect(await page.locator('deskside-toaster').count()).toBe(1);
    await page.getByRole('button', { name: 'Logs' }).click();
    await expect.poll(() => page.evaluate('prompts')).toEqual(['logs']);
  });
});
