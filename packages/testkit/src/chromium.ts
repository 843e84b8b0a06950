import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's path; the environment variable `CHROMIUM` overrides it. */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** The same engine without the windows of the browser: a page costs a third of the CPU time. Debian 12 has it. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const hasChromium: boolean = existsSync(CHROMIUM);

/** @param hasWindows for tests of the pointer: the shell has it at 0, 0 of each page, where no test has put it */
export function launch({ hasWindows = false } = {}): Promise<Browser> {
  const usesShell = !hasWindows && process.env['CHROMIUM'] === undefined && existsSync(HEADLESS_SHELL);
  return chromium.launch({
    executablePath: usesShell ? HEADLESS_SHELL : CHROMIUM,
    args: FLAGS,
    // Memory that the processes share is in /dev/shm, not in files on the disk.
    ignoreDefaultArgs: ['--disable-dev-shm-usage'],
  });
}

const browsers = new Map<boolean, Promise<Browser>>();

/** The browser of all test files of a worker, because a start takes a second. Each file closes its own contexts. */
export async function sharedBrowser({ hasWindows = false } = {}): Promise<Browser> {
  const known = await browsers.get(hasWindows);
  if (known?.isConnected() === true) return known;
  const next = launch({ hasWindows });
  browsers.set(hasWindows, next);
  return next;
}
