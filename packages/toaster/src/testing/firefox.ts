import { existsSync } from 'node:fs';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { buildScript } from '../../build/bundles.ts';

/** Debian's path; the environment variable `FIREFOX` overrides it. */
const FIREFOX = process.env['FIREFOX'] ?? '/usr/bin/firefox-esr';

/** The first start of Firefox on a busy machine takes long. */
const LAUNCH_TIMEOUT_MS = 55_000;

/** Opens a page with a toaster. It has a new document and the clock of the machine. */
export type OpenPage = (content?: string, width?: number) => Promise<Page>;

/**
 * Groups tests that need Firefox, with one browser and one page. They are skipped if it is not installed. Playwright needs
 * a patched Firefox; puppeteer uses the protocol that every Firefox speaks, WebDriver BiDi.
 */
export function describeInFirefox(tests: (open: OpenPage) => void): void {
  describe.skipIf(!existsSync(FIREFOX))('in Firefox', () => {
    let browser: Browser;
    let script: string;
    let page: Page;
    beforeAll(async () => {
      [browser, script] = await Promise.all([
        launch({
          browser: 'firefox',
          executablePath: FIREFOX,
          headless: true,
          timeout: LAUNCH_TIMEOUT_MS,
          // Reduced motion: tests do not wait for animations. No connections of the browser itself.
          extraPrefsFirefox: { 'ui.prefersReducedMotion': 1, 'app.normandy.enabled': false },
        }),
        buildScript(),
      ]);
      page = await browser.newPage();
    });
    afterAll(() => browser.close());

    tests(async (content = '', width = 900) => {
      await page.setViewport({ width, height: 700 });
      await page.setContent(`<!doctype html><html lang="en"><title>Chat</title>
        <main><input id="composer" aria-label="Message"></main>${content}
        <deskside-toaster></deskside-toaster><script>${script}</script>`);
      return page;
    });
  });
}
