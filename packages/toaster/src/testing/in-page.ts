import { chosenRows } from '@deskside/testkit';
import { hasChromium } from '@deskside/testkit/chromium';
import { hasFirefox } from '@deskside/testkit/firefox';
import type { Page } from 'playwright-core';
import type { Page as FirefoxPage } from 'puppeteer-core';
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
  shown(): string[];
  /** The lines that both live regions got so far. */
  readonly announced: string[];
  /** Moves the time of all timers of the page. */
  wait(ms: number): void;
  /** Lets promises run. */
  settle(): Promise<void>;
  /** Lets the browser draw. */
  draw(): Promise<void>;
  /** Whether a press at the middle of the close button of the toast with this message reaches it. */
  isPressable(message: string): boolean;
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
    draw: async () => {
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
    },
    isPressable(message) {
      const root = toaster.shadowRoot;
      const card = [...(root?.querySelectorAll('.stack .card:not(.leaving)') ?? [])].find(
        (each) => each.querySelector('.message')?.textContent === message,
      );
      const button = card?.querySelector('.close');
      if (!root || !button) throw new Error(`no toast says ${message}`);
      const { left, top, width, height } = button.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const hit = (inside: DocumentOrShadowRoot): Element | null => {
        const target = inside.elementFromPoint(x, y);
        return target?.shadowRoot ? hit(target.shadowRoot) : target;
      };
      return width > 0 && button.contains(hit(document));
    },
    settle: () =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.addEventListener('message', () => resolve());
        port1.start();
        port2.postMessage(undefined);
      }),
    shown: () =>
      [...(toaster.shadowRoot?.querySelectorAll('.stack .card:not(.leaving)') ?? [])].map((card) => {
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
  };
}

/** What the pages of both drivers have in common. */
export interface BrowserPage {
  evaluate<Value>(run: () => Value | Promise<Value>): Promise<Value>;
  evaluate<Value, Given>(run: (given: Given) => Value | Promise<Value>, given: Given): Promise<Value>;
  readonly mouse: Pick<Page['mouse'], 'move' | 'down' | 'up' | 'click'>;
  readonly keyboard: Pick<Page['keyboard'], 'down' | 'up' | 'press' | 'type'>;
}

/** Opens a page with a toaster and `tools`. */
type OpenTools = (content?: string, size?: readonly [number, number]) => Promise<BrowserPage>;

/** Groups tests that run in Chromium or in Firefox, as the seed chooses, and in both in a proof. */
export function describeInBrowsers(tests: (open: OpenTools) => void): void {
  const chosen = chosenRows(['Chromium', 'Firefox'], 2);
  if (chosen.includes('Chromium') || !hasFirefox)
    describeInChromium(({ open }) => {
      tests(async (html = '', [width, height] = [900, 700]) => {
        const page = await open({ html, clock: false, bypassCSP: true, viewport: { width, height } });
        return withTools(page);
      });
    });
  if (chosen.includes('Firefox') || !hasChromium)
    describeInFirefox((open) => {
      tests(async (content = '', [width, height] = [900, 700]) =>
        withTools(await open(content, width, height)),
      );
    });
}

async function withTools(page: Page | FirefoxPage): Promise<BrowserPage> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both drivers have it, with other types
  const evaluate = page.evaluate.bind(page) as BrowserPage['evaluate'];
  await evaluate(installTools);
  const { mouse, keyboard } = page;
  return { evaluate, mouse, keyboard };
}

/** Tests what a toaster does in these browsers. */
export function testBehaviors(behaviors: readonly Behavior[]): void {
  describeInBrowsers((open) => {
    test.each(behaviors)('$title', async ({ size, run, expected }) => {
      const page = await open('', size);
      expect(await page.evaluate(run)).toEqual(expected);
    });
  });
}
