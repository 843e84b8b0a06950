import { existsSync } from 'node:fs';
import { type Browser, launch } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage } from '../testing/open-page.ts';

/** As in the tests of the toaster: Playwright drives only its own patched Firefox. */
const FIREFOX = process.env['FIREFOX'] ?? '/usr/bin/firefox-esr';
const LAUNCH_TIMEOUT_MS = 55_000;

describe.skipIf(!existsSync(FIREFOX))('in Firefox', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch({
      browser: 'firefox',
      executablePath: FIREFOX,
      headless: true,
      timeout: LAUNCH_TIMEOUT_MS,
      extraPrefsFirefox: { 'app.normandy.enabled': false },
    });
  });
  afterAll(() => browser.close());

  test('the link opens the page, and foreign HTML is text', async () => {
    const desk = await openPage();
    void desk.ask('<b>Which</b> port?', { options: ['3333'] });
    const page = await browser.newPage();
    await page.goto(desk.link);
    await page.waitForSelector('.item');
    expect(await page.$eval('.item .message', ({ textContent }) => textContent)).toBe('<b>Which</b> port?');
    expect(page.url()).toBe(`${desk.origin}/`);
  });

  test('a link that a second program uses closes the page', async () => {
    const desk = await openPage();
    const page = await browser.newPage();
    await page.goto(desk.link);
    await page.waitForSelector('#state:not(.broken)');
    await page.waitForFunction(
      () => document.querySelector('#state')?.textContent === 'Connected to this desk.',
    );
    expect(await desk.keyOf()).toBe('');
    await page.waitForSelector('#state.broken');
  });
});
