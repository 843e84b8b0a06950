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

export interface FirefoxOptions {
  /** Whether things move. Default false: tests do not wait for animations. */
  readonly motion?: boolean;
}

const browsers = new Map<boolean, Promise<Browser>>();

/** The browser of all test files of a worker, because a start takes eight seconds. Each file closes its own pages. */
export async function sharedFirefox({ motion = false }: FirefoxOptions = {}): Promise<Browser> {
  const known = await browsers.get(motion);
  if (known?.connected === true) return known;
  const next = launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    headless: true,
    timeout: LAUNCH_TIMEOUT_MS,
    handleSIGTERM: false,
    // No connections of the browser itself.
    extraPrefsFirefox: { 'ui.prefersReducedMotion': motion ? 0 : 1, 'app.normandy.enabled': false },
  });
  if (browsers.size === 0) process.once('SIGTERM', () => void end());
  browsers.set(motion, next);
  return next;
}

/** A worker that is stopped has half a second, in which Firefox does not close. */
async function end(): Promise<void> {
  for (const browser of browsers.values()) (await browser).process()?.kill('SIGKILL');
  process.exit();
}
