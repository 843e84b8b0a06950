import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import type { BrowserContextOptions } from 'playwright-core';
import { launch } from '@deskside/testkit/chromium';

// Takes pictures of the same toasts in this element and in the libraries that pages use most: `pnpm pictures`, or
// `node build/pictures.ts [--to FOLDER] [NAME…]`. Without a name it takes those of README and docs. The others compare this
// element with sonner: in each look with 1, 3, 10 and 50 toasts, and frame by frame.
const { values, positionals } = parseArgs({ options: { to: { type: 'string' } }, allowPositionals: true });
const folder = values.to ?? join(import.meta.dirname, '../../../docs/pictures');

/** Sets `window.showToasts`. The texts are those of the contract's examples. */
const libraries: Readonly<Record<string, string>> = {
  toaster: `
    import './src/index.ts';
    const toaster = document.body.appendChild(document.createElement('deskside-toaster'));
    if (document.dir === 'rtl') toaster.labels = { close: 'إغلاق', more: '{n} أخرى' };
    window.showToasts = (texts, count = 3) => {
      for (let n = count; n > 3; n -= 1) toaster.success(texts.success, { duration: 0 });
      if (count > 1) toaster.info(texts.info, { duration: 0 });
      if (count > 1) toaster.success(texts.success, { duration: 0 });
      toaster.show({ title: texts.title, message: texts.warning, severity: 'warning', duration: 0,
        actions: [{ label: texts.action, action: 'prompt', prompt: texts.prompt }, { label: texts.dismiss, action: 'dismiss' }] });
    };`,
  sonner: `
    import { createElement } from 'react';
    import { createRoot } from 'react-dom/client';
    import { toast, Toaster } from 'sonner';
    const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    createRoot(document.body.appendChild(document.createElement('div')))
      .render(createElement(Toaster, { theme, position: 'top-right', richColors: true, closeButton: true, dir: document.dir || 'ltr' }));
    window.showToasts = (texts, count = 3) => {
      for (let n = count; n > 3; n -= 1) toast.success(texts.success, { duration: Infinity });
      if (count > 1) toast.info(texts.info, { duration: Infinity });
      if (count > 1) toast.success(texts.success, { duration: Infinity });
      toast.warning(texts.title, { duration: Infinity, description: texts.warning,
        action: { label: texts.action, onClick() {} }, cancel: { label: texts.dismiss, onClick() {} } });
    };`,
  'react-hot-toast': `
    import { createElement } from 'react';
    import { createRoot } from 'react-dom/client';
    import { toast, Toaster } from 'react-hot-toast';
    createRoot(document.body.appendChild(document.createElement('div')))
      .render(createElement(Toaster, { position: 'top-right' }));
    window.showToasts = (texts) => {
      toast(texts.info, { duration: Infinity });
      toast.success(texts.success, { duration: Infinity });
      toast((t) => createElement('span', {}, createElement('b', {}, texts.title), createElement('br'), texts.warning, ' ',
        createElement('button', {}, texts.action), createElement('button', {}, texts.dismiss)), { duration: Infinity, icon: '⚠️' });
    };`,
  // Radix has no style: this is the one of shadcn/ui's page, in short.
  radix: `
    import * as Toast from '@radix-ui/react-toast';
    import { createElement as h, useState } from 'react';
    import { createRoot } from 'react-dom/client';
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const [back, text, line] = dark ? ['#09090b', '#fafafa', '#27272a'] : ['#fff', '#09090b', '#e4e4e7'];
    const button = { border: '1px solid ' + line, background: 'none', color: text, borderRadius: 6, padding: '6px 12px', font: '500 14px system-ui' };
    function App() {
      const [texts, setTexts] = useState();
      window.showToasts = setTexts;
      const root = { display: 'flex', gap: 16, alignItems: 'center', justifyContent: 'space-between', padding: 24, border: '1px solid ' + line,
        borderRadius: 6, background: back, color: text, font: '14px system-ui', boxShadow: '0 10px 15px -3px rgb(0 0 0 / .1)', listStyle: 'none' };
      const one = (key, title, description, ...actions) => h(Toast.Root, { key, duration: Infinity, style: root },
        h('div', {}, title && h(Toast.Title, { style: { fontWeight: 600 } }, title), h(Toast.Description, { style: { opacity: .9 } }, description)), ...actions);
      return h(Toast.Provider, {}, texts && [
        one('a', undefined, texts.info), one('b', undefined, texts.success),
        one('c', texts.title, texts.warning, h(Toast.Action, { altText: texts.action, style: button }, texts.action), h(Toast.Close, { style: button }, texts.dismiss)),
      ], h(Toast.Viewport, { style: { position: 'fixed', top: 0, insetInlineEnd: 0, width: 420, padding: 16, margin: 0, display: 'flex', flexDirection: 'column-reverse', gap: 8, boxSizing: 'border-box' } }));
    }
    createRoot(document.body.appendChild(document.createElement('div'))).render(h(App));`,
};

const english = {
  info: 'Sync completed',
  success: 'Workflow deployed successfully to production!',
  title: 'Budget Alert',
  warning: "Budget threshold exceeded - you've spent $47,500 of $50,000",
  action: 'View Spending',
  prompt: 'show me detailed cost breakdown',
  dismiss: 'Later',
};
const arabic: typeof english = {
  info: 'اكتملت المزامنة',
  success: 'تم نشر سير العمل بنجاح في بيئة الإنتاج!',
  title: 'تنبيه الميزانية',
  warning: 'تم تجاوز حد الميزانية: أنفقت 47,500 من 50,000 دولار',
  action: 'عرض الإنفاق',
  prompt: 'أرني تفاصيل التكلفة',
  dismiss: 'لاحقًا',
};

interface Look extends BrowserContextOptions {
  readonly texts: typeof english;
  readonly width?: number;
}

const looks: Readonly<Record<string, Look>> = {
  light: { colorScheme: 'light', texts: english },
  dark: { colorScheme: 'dark', texts: english },
  'forced-colors': { colorScheme: 'light', forcedColors: 'active', texts: english },
  'right-to-left': { colorScheme: 'light', texts: arabic },
  narrow: { colorScheme: 'light', texts: english, width: 320 },
};
const COUNTS = [1, 3, 10, 50];
const COMPARED = ['toaster', 'sonner'];
/** Of the animation of a new toast, in milliseconds. */
const FRAMES = [0, 50, 100, 200, 400];
const HEIGHT = 520;

mkdirSync(folder, { recursive: true });
const browser = await launch();
const scripts = new Map<string, string>();
for (const [name, source] of Object.entries(libraries)) scripts.set(name, await bundle(source));

const sheets: Readonly<Record<string, () => Promise<void>>> = {
  'toasts-light': async () =>
    writeSheet('toasts-light', 2, await atRestAndSpread([...scripts.keys()], looks['light'], 3)),
  'toasts-looks': async () =>
    writeSheet('toasts-looks', 2, [
      ...(await atRestAndSpread(['toaster'], looks['dark'], 10)),
      ...(await atRestAndSpread(['toaster'], looks['narrow'], 3)),
    ]),
  'compared-frames': async () => writeSheet('compared-frames', FRAMES.length, await frames(COMPARED)),
  ...Object.fromEntries(
    Object.entries(looks).map(([name, look]) => [
      `compared-${name}`,
      async () => {
        const parts: string[] = [];
        for (const count of COUNTS) parts.push(...(await atRestAndSpread(COMPARED, look, count)));
        await writeSheet(`compared-${name}`, 4, parts);
      },
    ]),
  ),
};
for (const name of positionals.length > 0 ? positionals : ['toasts-light', 'toasts-looks']) {
  await sheets[name]?.();
}
await browser.close();

async function atRestAndSpread(names: readonly string[], look: Look = { texts: english }, count: number) {
  const parts: string[] = [];
  for (const name of names) {
    for (const spread of [false, true]) {
      const { page, clip, close } = await openPage(name, look);
      await page.evaluate(`showToasts(${JSON.stringify(look.texts)}, ${count})`);
      await page.getByText(look.texts.title).first().waitFor();
      await page.mouse.move(spread ? clip.x + clip.width / 2 : 5, spread ? 40 : HEIGHT - 5);
      await page.waitForTimeout(900);
      const state = `${count} ${count === 1 ? 'toast' : 'toasts'}${spread ? ', under the pointer' : ''}`;
      parts.push(figure(`${name}, ${state}`, await page.screenshot({ clip }), clip.width));
      await close();
    }
  }
  return parts;
}

/** A fourth toast comes: each animation waits at the time of a frame. */
async function frames(names: readonly string[]): Promise<string[]> {
  const parts: string[] = [];
  for (const name of names) {
    const { page, clip, close } = await openPage(name, { colorScheme: 'light', texts: english });
    await page.evaluate(`showToasts(${JSON.stringify(english)}, 3)`);
    await page.getByText(english.title).first().waitFor();
    await page.waitForTimeout(900);
    await page.evaluate(`showToasts(${JSON.stringify(english)}, 1)`);
    const animations = `[document, document.querySelector('deskside-toaster')?.shadowRoot].flatMap((root) => root?.getAnimations() ?? [])`;
    await page.waitForFunction(`${animations}.length > 1`);
    for (const at of FRAMES) {
      await page.evaluate(`for (const one of ${animations}) { one.pause(); one.currentTime = ${at}; }`);
      parts.push(figure(`${name}, ${at} ms`, await page.screenshot({ clip }), 230));
    }
    await close();
  }
  return parts;
}

async function openPage(name: string, { texts, width = 640, ...options }: Look) {
  const context = await browser.newContext({
    ...options,
    viewport: { width, height: HEIGHT },
    deviceScaleFactor: 2,
  });
  const page = await context.newPage();
  const direction = texts === arabic ? 'rtl' : 'ltr';
  await page.setContent(`<!doctype html><html lang="en" dir="${direction}"><meta name="color-scheme" content="light dark">
    <meta name="viewport" content="width=device-width">
    <style>body { margin: 0; background: light-dark(#f4f4f5, #101013); }</style><body></body></html>`);
  await page.addScriptTag({ content: scripts.get(name) ?? '' });
  await page.waitForFunction('window.showToasts !== undefined');
  const shownWidth = Math.min(width, 460);
  const clip = { x: width - shownWidth, y: 0, width: shownWidth, height: 340 };
  return { page, clip, close: () => context.close() };
}

function figure(caption: string, picture: Buffer, width: number): string {
  return `<figure><img width="${width}" src="data:image/png;base64,${picture.toString('base64')}"><figcaption>${caption}</figcaption></figure>`;
}

async function writeSheet(name: string, columns: number, parts: readonly string[]): Promise<void> {
  const sheet = await browser.newPage({ viewport: { width: columns * 476, height: 100 } });
  await sheet.setContent(`<style>body { margin: 8px; display: grid; grid-template-columns: repeat(${columns}, max-content); gap: 8px; font: 14px system-ui; }
    figure { margin: 0; } img { display: block; border: 1px solid #d4d4d8; }</style>${parts.join('')}`);
  await sheet.locator('body').screenshot({ path: join(folder, `${name}.png`) });
  await sheet.close();
}

async function bundle(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: join(import.meta.dirname, '..'), loader: 'ts' },
    bundle: true,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}
