import { expect, test } from 'vitest';
import type { DesksideToaster } from '../index.ts';
import { describeInChromium } from './browser.ts';
import { describeInFirefox } from './firefox.ts';

export interface Behavior {
  readonly title: string;
  /** Of the window, in pixels. */
  readonly size?: readonly [number, number];
  /** Runs in a page, and refers to nothing outside but `tools`. */
  readonly run: () => unknown;
  readonly expected: unknown;
}

/** What the functions below see of a toaster, in any browser. */
export interface PageTools {
  readonly toaster: DesksideToaster;
  /** The messages of the cards from the edge of the screen; those behind the front of a pile are in brackets. */
  shown(toaster?: DesksideToaster): string[];
  /** The lines that both live regions got so far. */
  readonly announced: string[];
  /** Moves the time of all timers of the page. */
  wait(ms: number): void;
  /** Lets promises run. */
  settle(): Promise<void>;
  /** Opens another tab of the same origin with a toaster. */
  openTab(): Promise<PageTab>;
}

export interface PageTab {
  readonly toaster: DesksideToaster;
  setHidden(hidden: boolean): void;
}

declare global {
  var tools: PageTools;
  /** What the script for pages without a bundler defines. */
  var deskside: { readonly getToaster: () => DesksideToaster };
}

/** In a page: sets `tools`, and stops the clock. The page loads no modules, so this function refers to nothing outside. */
export function installTools(): void {
  let now = performance.now();
  let lastTimer = 0;
  const timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  performance.now = () => now;
  Object.assign(globalThis, {
    setTimeout: (run: () => void, ms = 0) => {
      timers.set((lastTimer += 1), { at: now + ms, run });
      return lastTimer;
    },
    clearTimeout: (timer: number) => void timers.delete(timer),
  });
  const toaster = document.querySelector('deskside-toaster');
  if (toaster === null) throw new Error('The page has no toaster');
  const announced: string[] = [];
  for (const region of toaster.shadowRoot?.querySelectorAll('[aria-live]') ?? []) {
    new MutationObserver((records) => {
      for (const { addedNodes } of records)
        for (const line of addedNodes) announced.push(line.textContent ?? '');
    }).observe(region, { childList: true });
  }
  globalThis.tools = {
    toaster,
    announced,
    settle: () =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.addEventListener('message', () => resolve());
        port1.start();
        port2.postMessage(undefined);
      }),
    shown: (shower = toaster) =>
      [...(shower.shadowRoot?.querySelectorAll('.stack .card:not(.leaving)') ?? [])].map((card) => {
        const text = card.querySelector('.message')?.textContent ?? '';
        return card.classList.contains('under') ? `(${text})` : text;
      }),
    wait(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(([, { at }]) => at <= end).toSorted(([, a], [, b]) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next[0]);
        now = Math.max(now, next[1].at);
        next[1].run();
      }
      now = end;
    },
    openTab: async () => {
      const frame = document.createElement('iframe');
      const script = document.querySelector('script')?.textContent ?? '';
      frame.srcdoc = `<!doctype html><html lang="en"><deskside-toaster></deskside-toaster><script>${script}</script>`;
      document.body.append(frame);
      await new Promise((resolve) => {
        frame.addEventListener('load', resolve);
      });
      const tab = frame.contentDocument;
      const shower = tab?.querySelector('deskside-toaster');
      if (!tab || !shower) throw new Error('The tab has no toaster');
      return {
        toaster: shower,
        setHidden(hidden) {
          Object.defineProperty(tab, 'hidden', { configurable: true, value: hidden });
          tab.dispatchEvent(new Event('visibilitychange'));
        },
      };
    },
  };
}

/** Tests what a toaster does in Chromium and in Firefox. */
export function testBehaviors(behaviors: readonly Behavior[]): void {
  describeInChromium(({ open }) => {
    test.each(behaviors)('$title', async ({ size: [width, height] = [900, 700], run, expected }) => {
      const page = await open({ clock: false, bypassCSP: true, viewport: { width, height } });
      await page.evaluate(installTools);
      expect(await page.evaluate(run)).toEqual(expected);
    });
  });

  describeInFirefox((open) => {
    test.each(behaviors)('$title', async ({ size: [width, height] = [900, 700], run, expected }) => {
      const page = await open('', width, height);
      await page.evaluate(installTools);
      expect(await page.evaluate(run)).toEqual(expected);
    });
  });
}
