import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { scriptFile } from '../../build/bundles.ts';
import { hasChromium, launch } from './chromium.ts';

/** An address that nothing serves: its pages are made here, and it keeps what they store. */
const ORIGIN = 'http://deskside.test';
const INSTALLED_AT = '2026-11-21T12:00:00Z';
const PAUSED_AT = '2026-11-21T12:10:00Z';

export interface PageOptions extends BrowserContextOptions {
  /** Of the body, after the toaster. */
  readonly html?: string;
  /** Attributes of `<html>` and of the toaster. */
  readonly root?: string;
  readonly toaster?: string;
  /** False lets the clock run as it does. */
  readonly clock?: boolean;
}

export interface Pages {
  open(options?: PageOptions): Promise<Page>;
  browser(): Browser;
}

/** Tests in Debian's Chromium, skipped where there is none. The clock of a page stands unless a test moves it. */
export function describeInBrowser(name: string, tests: (pages: Pages) => void): void {
  // oxlint-disable-next-line vitest/valid-title -- it is passed on
  describe.skipIf(!hasChromium)(name, () => {
    let browser: Browser;
    let script: string;
    /** By their options, since opening one takes longer than most tests: each test gets it loaded anew. */
    const pages = new Map<string, Page>();
    beforeAll(async () => {
      [browser, script] = await Promise.all([launch(), scriptFile()]);
    });
    afterAll(() => browser.close());

    tests({
      browser: () => browser,
      async open({ html = '', root = '', toaster = '', clock = true, ...options } = {}) {
        const key = JSON.stringify({ clock, options });
        const page = pages.get(key) ?? (await newPage(browser, options, clock));
        const known = pages.has(key);
        pages.set(key, page);
        if (known) await page.evaluate(() => sessionStorage.clear());
        await page.mouse.move(0, 300);
        const body = pageWith(script, { html, root, toaster });
        await page.route(`${ORIGIN}/**`, (route) => route.fulfill({ contentType: 'text/html', body }));
        await page.goto(ORIGIN);
        if (clock && !known) await page.clock.pauseAt(PAUSED_AT);
        return page;
      },
    });
  });
}

async function newPage(browser: Browser, options: BrowserContextOptions, clock: boolean): Promise<Page> {
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    viewport: { width: 900, height: 700 },
    ...options,
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => {
    throw error;
  });
  if (clock) await page.clock.install({ time: INSTALLED_AT });
  return page;
}

function pageWith(
  script: string,
  { html, root, toaster }: Record<'html' | 'root' | 'toaster', string>,
): string {
  return `<!doctype html><html lang="en" ${root}><head><title>Chat</title>
    <meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="style-src 'nonce-page'; require-trusted-types-for 'script'">
    <style nonce="page">body { font: 16px system-ui, sans-serif; }</style></head>
    <body><main><h1>Chat</h1><button id="page-button">Page</button>${html}</main>
    <deskside-toaster ${toaster}></deskside-toaster><script>${script}</script></body></html>`;
}
