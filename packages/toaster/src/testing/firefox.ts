import { readFileSync } from 'node:fs';
import { listen } from '@deskside/testkit';
import { hasFirefox, sharedFirefox } from '@deskside/testkit/firefox';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { SCRIPT } from './browser.ts';

/** Opens a page with a toaster. It has a new document and the clock of the machine. */
export type OpenPage = (content?: string, width?: number, height?: number) => Promise<Page>;

/** Groups tests that need Firefox, with one page. They are skipped if it is not installed. */
export function describeInFirefox(tests: (open: OpenPage) => void): void {
  describe.skipIf(!hasFirefox)('in Firefox', () => {
    let script: string;
    let page: Page;
    /** Gives the page an origin, and so a storage. */
    let server: Awaited<ReturnType<typeof listen>>;
    let html = '';
    beforeAll(async () => {
      server = await listen((_request, response) => {
        response.setHeader('Content-Type', 'text/html; charset=utf-8').end(html);
      });
      script = readFileSync(SCRIPT, 'utf8');
      const browser = await sharedFirefox();
      page = await browser.newPage();
      await page.goto(server.origin);
    });
    afterAll(async () => {
      await page.close();
      await server[Symbol.asyncDispose]();
    });

    tests(async (content = '', width = 900, height = 700) => {
      await page.setViewport({ width, height });
      await page.evaluate(() => localStorage.clear());
      html = `<!doctype html><html lang="en"><title>Chat</title>
        <main><input id="composer" aria-label="Message"></main>${content}
        <deskside-toaster></deskside-toaster><script>${script}</script>`;
      await page.goto(server.origin);
      return page;
    });
  });
}
