import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Severity, ToastAction, ToastPosition } from '../index.ts';
import { hasChromium, sharedBrowser } from '@deskside/testkit/chromium';

/** `pnpm run build` writes it. */
export const SCRIPT = join(import.meta.dirname, '../../dist/script/deskside-toaster.js');

/** No server has this address: the tests answer its requests, and it has session storage. */
const ORIGIN = 'http://deskside.test';
const INSTALLED_AT = '2026-11-21T12:00:00Z';
const PAUSED_AT = '2026-11-21T12:10:00Z';

export interface PageOptions extends BrowserContextOptions {
  /** Content of `<main>`. */
  readonly html?: string;
  /** Attributes of `<html>`. */
  readonly root?: string;
  /** Attributes of the toaster. */
  readonly toaster?: string;
  /** False for a clock that runs; else a test moves it with `page.clock`. */
  readonly clock?: boolean;
}

export interface Pages {
  /** Opens a page with a toaster. */
  open(options?: PageOptions): Promise<Page>;
}

/** Groups tests that need a browser. They are skipped if Chromium is not installed. */
export function describeInChromium(tests: (pages: Pages) => void): void {
  describe.skipIf(!hasChromium)('in Chromium', () => {
    let browser: Browser;
    let script: string;
    /** By options: opening a page takes longer than most tests, so each test loads a known page again. */
    const pages = new Map<string, Page>();
    beforeAll(async () => {
      browser = await sharedBrowser();
      script = readFileSync(SCRIPT, 'utf8');
    });
    afterAll(async () => {
      for (const page of pages.values()) await page.context().close();
    });

    tests({
      async open({ html = '', root = '', toaster = '', clock = true, ...options } = {}) {
        const key = JSON.stringify({ clock, options });
        const page = pages.get(key) ?? (await newPage(browser, options, clock));
        const known = pages.has(key);
        pages.set(key, page);
        if (known)
          await page.evaluate(() => [sessionStorage, localStorage].forEach((storage) => storage.clear()));
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

/** What a test can pass to a page: no functions and no nodes. */
interface DataInput {
  readonly id?: string;
  readonly timestamp?: string;
  readonly message: string;
  readonly severity?: Severity;
  readonly title?: string;
  readonly duration?: number;
  readonly position?: ToastPosition;
  readonly loading?: boolean;
  readonly ended?: true;
  readonly actions?: readonly Extract<ToastAction, { readonly action: string }>[];
}

export function show(page: Page, input: DataInput): Promise<string> {
  return page.evaluate((given) => document.querySelector('deskside-toaster')?.show(given) ?? '', input);
}

export function update(
  page: Page,
  id: string,
  changes: Partial<Omit<DataInput, 'id' | 'position'>>,
): Promise<boolean> {
  return page.evaluate(
    ([known, given]) => document.querySelector('deskside-toaster')?.update(known, given) ?? false,
    [id, changes] as const,
  );
}

export function dismiss(page: Page, id: string): Promise<boolean> {
  return page.evaluate((known) => document.querySelector('deskside-toaster')?.dismiss(known) ?? false, id);
}

export function openCenter(page: Page): Promise<void> {
  return page.evaluate(() => document.querySelector('deskside-toaster')?.openCenter());
}

/** The cards at a position that do not fade out. */
export function cards(page: Page, position: ToastPosition = 'top-right'): Locator {
  return page.locator(`.stack.${position} .card:not(.leaving)`);
}

/** The messages of the cards at a position, from top to bottom. */
export async function messages(page: Page, position: ToastPosition = 'top-right'): Promise<string[]> {
  return cards(page, position).locator('.message').allTextContents();
}
