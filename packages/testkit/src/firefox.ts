import { existsSync } from 'node:fs';
import { type Browser, launch } from 'puppeteer-core';

/**
 * Debian's path; the environment variable `FIREFOX` overrides it. Playwright drives only its own patched Firefox, a download;
 * puppeteer uses the protocol that every Firefox speaks, WebDriver BiDi.
 */
const FIREFOX = process.env['FIREFOX'] ?? '/usr/bin/firefox-esr';
/** The first start of Firefox on a busy machine takes long. */
const LAUNCH_TIMEOUT_MS = 55_000;

export const hasFirefox: boolean = existsSync(FIREFOX);

let browser: Promise<Browser> | undefined;

/** The browser of all test files of a worker, because a start takes eight seconds. Each file closes its own pages. */
export async function sharedFirefox(): Promise<Browser> {
  const known = await browser;
  if (known?.connected === true) return known;
  if (browser === undefined) process.once('SIGTERM', () => void end());
  browser = launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    headless: true,
    timeout: LAUNCH_TIMEOUT_MS,
    handleSIGTERM: false,
    // Tests do not wait for animations. No connections of the browser itself.
    extraPrefsFirefox: { 'ui.prefersReducedMotion': 1, 'app.normandy.enabled': false },
  });
  return browser;
}

/** A worker that is stopped has half a second, in which Firefox does not close. */
async function end(): Promise<void> {
  (await browser)?.process()?.kill('SIGKILL');
  process.exit();
}
