import { fixedClock } from '@deskside/testkit';
import { sharedBrowser } from '@deskside/testkit/chromium';
import { onTestFinished } from 'vitest';
import { openPageServer } from '../page/page-server.ts';
import type { PageOptions } from '../page/render-page.ts';
import type { Ending, PopupSpec } from '../service/presenter.ts';
import { addressOf, popupSpec } from './samples.ts';

/** Chromium says so of a page that a test has opened. A popup's window may be closed by its page. */
const CANNOT_CLOSE = 'Scripts may close only the windows that were opened by them.';

export interface PageLook extends Partial<PageOptions> {
  readonly width?: number;
  readonly height?: number;
  /** For a page that knows where the pointer is. */
  readonly hasWindows?: boolean;
}

/** A script that stops the clock of a page. */
const STOPPED_CLOCK = `
  globalThis.sent = Promise.resolve();
  const send = globalThis.fetch;
  globalThis.fetch = (address, options) => {
    const answer = send(address, options);
    if (address === '/message') sent = Promise.all([sent, answer.catch(() => undefined)]);
    return answer;
  };
  globalThis.clock = 0;
  performance.now = () => clock;
  Object.defineProperty(Event.prototype, 'timeStamp', { get: () => clock });`;

export type OpenPage = Awaited<ReturnType<typeof open>>;

/** The page of a popup in a real browser. Its clock and the server's move only when the test moves them. */
export async function open(spec = popupSpec(), look: PageLook = {}) {
  const { width = 500, height = 575, hasWindows = false, ...options } = look;
  const drafts: string[] = [];
  const deletedDrafts: string[] = [];
  let activities = 0;
  const recorded: PopupSpec = {
    ...spec,
    onDraft: (text) => void drafts.push(text),
    onDeleteDraft: (id) => void deletedDrafts.push(id),
    onActivity() {
      activities += 1;
    },
  };
  const links: string[] = [];
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const server = await openPageServer(recorded, {
    clock,
    page: Promise.resolve({ theme: 'auto', plain: false, centered: true, ...options }),
    openLink: (address) => void links.push(address),
  });
  const browser = await sharedBrowser({ hasWindows });
  const context = await browser.newContext({ viewport: { width, height } });
  onTestFinished(async () => {
    await context.close();
    await server.close();
  });
  const page = await context.newPage();
  await page.addInitScript(STOPPED_CLOCK);
  const violations: string[] = [];
  page.on('console', (message) => message.text() !== CANNOT_CLOSE && violations.push(message.text()));
  page.on('pageerror', (error) => violations.push(error.message));
  page.on('dialog', (dialog) => violations.push(dialog.message()));
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(addressOf(server)).origin)) violations.push(request.url());
  });
  await page.goto(addressOf(server));
  await server.ready;
  // A beacon travels before this request: the server has seen it when it answers.
  const settled = () =>
    page.evaluate(`sent.then(() => fetch('/')).catch(() => undefined)`).catch(() => undefined);
  return {
    page,
    server,
    /** Texts that the page saved, in order. */
    drafts,
    deletedDrafts,
    /** Number of reports that the person uses the window. */
    activities: () => activities,
    /** Addresses that the person opened. */
    links,
    /** Everything that a page must not do: console output, errors, dialogs, requests to other hosts. */
    violations,
    /** Moves both clocks. */
    async advance(ms: number) {
      await settled();
      await page.evaluate(`clock += ${ms}`);
      clock.advance(ms);
    },
    /** The ending, or `open`. Everything that the page has sent before is counted. */
    async state(): Promise<Ending | 'open'> {
      await settled();
      return Promise.race([server.ended, Promise.resolve('open' as const)]);
    },
  };
}

/** Opens it, and lets the guard interval pass. */
export async function openUsable(...given: Parameters<typeof open>): Promise<OpenPage> {
  const opened = await open(...given);
  await opened.advance(600);
  return opened;
}
