import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { buildScript } from '../../build/bundles.ts';
import type { DataInput } from './browser.ts';

/**
 * Debian's path; the environment variable `FIREFOX` overrides it. Playwright drives only its own patched Firefox, a download.
 */
const FIREFOX = process.env['FIREFOX'] ?? '/usr/bin/firefox-esr';

/** The first start of Firefox on a busy machine takes long. */
const LAUNCH_TIMEOUT_MS = 55_000;

/** Opens a page with a toaster. It has a new document and the clock of the machine. */
export type OpenPage = (content?: string, width?: number, height?: number) => Promise<Page>;

export interface FirefoxOptions {
  /** Whether things move. Default false: tests do not wait for animations. */
  readonly motion?: boolean;
}

/**
 * Groups tests that need Firefox, with one browser and one page. They are skipped if it is not installed. Playwright needs
 * a patched Firefox; puppeteer uses the protocol that every Firefox speaks, WebDriver BiDi.
 */
export function describeInFirefox(
  tests: (open: OpenPage) => void,
  { motion = false }: FirefoxOptions = {},
): void {
  describe.skipIf(!existsSync(FIREFOX))('in Firefox', () => {
    let browser: Browser;
    let script: string;
    let page: Page;
    /** Gives the page an origin, and so a storage. */
    let server: Server;
    let address: string;
    let html = '';
    beforeAll(async () => {
      server = createServer((_request, response) =>
        response.setHeader('Content-Type', 'text/html; charset=utf-8').end(html),
      );
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
      [browser, script] = await Promise.all([
        launch({
          browser: 'firefox',
          executablePath: FIREFOX,
          headless: true,
          timeout: LAUNCH_TIMEOUT_MS,
          // No connections of the browser itself.
          extraPrefsFirefox: { 'ui.prefersReducedMotion': motion ? 0 : 1, 'app.normandy.enabled': false },
        }),
        buildScript(),
      ]);
      page = await browser.newPage();
      const bound = server.address();
      address = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/`;
      await page.goto(address);
    });
    afterAll(async () => {
      await browser.close();
      server.close();
    });

    tests(async (content = '', width = 900, height = 700) => {
      await page.setViewport({ width, height });
      await page.evaluate(() => localStorage.clear());
      html = `<!doctype html><html lang="en"><title>Chat</title>
        <main><input id="composer" aria-label="Message"></main>${content}
        <deskside-toaster></deskside-toaster><script>${script}</script>`;
      await page.goto(address);
      return page;
    });
  });
}

export function show(page: Page, input: DataInput): Promise<string | undefined> {
  return page.evaluate((given) => document.querySelector('deskside-toaster')?.show(given), input);
}

export function messages(page: Page): Promise<(string | null)[]> {
  return page.$$eval('deskside-toaster >>> .card .message', (found) =>
    found.map((element) => element.textContent),
  );
}

/** Clicks the first such element of the toaster with the mouse. */
export async function click(page: Page, selector: string, toaster = 'deskside-toaster'): Promise<void> {
  const element = await page.waitForSelector(`${toaster} >>> ${selector}`, { visible: true });
  await element?.click();
}

/** Swipes the first toast to the right with a finger. */
export async function swipe(page: Page, distancePx: number): Promise<void> {
  const card = await page.waitForSelector('deskside-toaster >>> .message', { visible: true });
  const { x = 0, y = 0 } = (await card?.boundingBox()) ?? {};
  const touch = await page.touchscreen.touchStart(x + 5, y + 5);
  for (const part of [0.5, 1]) await touch.move(x + 5 + distancePx * part, y + 5);
  await touch.end();
}
