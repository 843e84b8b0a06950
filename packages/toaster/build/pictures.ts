import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { launch } from '../src/testing/chromium.ts';

// Takes pictures of the same toasts in this element and in the libraries that pages use most, at rest and spread:
// `node build/pictures.ts [--to FOLDER] [--all]`. Without --all it takes the one picture of docs/ui-toast.md.
const { values } = parseArgs({ options: { to: { type: 'string' }, all: { type: 'boolean' } } });
const folder = values.to ?? join(import.meta.dirname, '../../../docs/pictures');

/** Sets `window.showToasts`. The texts are those of the contract's examples. */
const libraries: Readonly<Record<string, string>> = {
  toaster: `
    import './src/index.ts';
    const toaster = document.body.appendChild(document.createElement('deskside-toaster'));
    if (document.dir === 'rtl') toaster.labels = { close: 'إغلاق' };
    window.showToasts = (texts) => {
      toaster.show({ message: texts.info, severity: 'info', duration: 0 });
      toaster.show({ message: texts.success, severity: 'success', duration: 0 });
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
    window.showToasts = (texts) => {
      toast.info(texts.info, { duration: Infinity });
      toast.success(texts.success, { duration: Infinity });
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

const looks: Readonly<Record<string, BrowserContextOptions & { readonly texts: typeof english }>> = {
  light: { colorScheme: 'light', texts: english },
  dark: { colorScheme: 'dark', texts: english },
  'forced-colors': { colorScheme: 'light', forcedColors: 'active', texts: english },
  'right-to-left': { colorScheme: 'light', texts: arabic },
};

mkdirSync(folder, { recursive: true });
const browser = await launch();
for (const [look, options] of Object.entries(looks)) {
  if (values.all || look === 'light') await takePicture(browser, look, options);
}
await browser.close();

async function takePicture(
  browser: Browser,
  look: string,
  { texts, ...options }: BrowserContextOptions & { readonly texts: typeof english },
) {
  const context = await browser.newContext({
    ...options,
    viewport: { width: 640, height: 520 },
    deviceScaleFactor: 2,
  });
  const parts: string[] = [];
  for (const [name, source] of Object.entries(libraries)) {
    const script = await bundle(source);
    for (const spread of [false, true]) {
      const page = await context.newPage();
      const direction = look === 'right-to-left' ? 'rtl' : 'ltr';
      await page.setContent(`<!doctype html><html lang="en" dir="${direction}"><meta name="color-scheme" content="light dark">
        <style>body { margin: 0; background: light-dark(#f4f4f5, #101013); }</style><body></body></html>`);
      await page.addScriptTag({ content: script });
      await page.waitForFunction('window.showToasts !== undefined');
      await page.evaluate(`showToasts(${JSON.stringify(texts)})`);
      await page.getByText(texts.title).first().waitFor();
      await page.mouse.move(spread ? 450 : 5, spread ? 40 : 515);
      await page.waitForTimeout(900);
      // Those libraries that mirror their position are on the left.
      const isLeft = await page.evaluate(
        'document.elementFromPoint(40, 40).closest("li, [data-rht-toaster] > *") !== null',
      );
      const picture = await page.screenshot({ clip: { x: isLeft ? 0 : 180, y: 0, width: 460, height: 290 } });
      parts.push(
        `<figure><img width="460" src="data:image/png;base64,${picture.toString('base64')}">` +
          `<figcaption>${name}, ${spread ? 'under the pointer' : 'at rest'}</figcaption></figure>`,
      );
      await page.close();
    }
  }
  const sheet = await browser.newPage({ viewport: { width: 952, height: 100 } });
  await sheet.setContent(`<style>body { margin: 8px; display: grid; grid-template-columns: 1fr 1fr; gap: 8px; font: 14px system-ui; }
    figure { margin: 0; } img { display: block; border: 1px solid #d4d4d8; }</style>${parts.join('')}`);
  await sheet.screenshot({ path: join(folder, `toasts-${look}.png`), fullPage: true });
  await sheet.close();
  await context.close();
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
