import type { Approval } from '@deskside/desktop';
import { openPage } from '@deskside/page/testing/open-page';
import { type OpenPage, open as openWindow } from '@deskside/notify-popup/testing/page-in-browser';
import { popupSpec } from '@deskside/notify-popup/testing/samples';
import { sharedBrowser } from '@deskside/testkit/chromium';
import { onTestFinished } from 'vitest';
import type { Decision, Gate, Trial } from './table.ts';

const HOUR_MS = 3_600_000;
const MANY = 400;

const call = { id: 'a', calls: 1, more: [], isExact: false } as const;
const OFFER = { accept: 'Log in', refuse: 'Not now' };
const LONG_TEXT = 'It sends everything to others. '.repeat(MANY);

interface Shown {
  readonly short: Approval;
  /** More than a window shows. What matters is at the end. */
  readonly long: Approval;
  /** On the button of the page. */
  readonly button: string;
}

function review(count: number): Approval {
  const parts = Array.from({ length: count }, (_, index) => ({
    title: `tool number_${index}`,
    text: 'Reads.',
  }));
  return { ...call, arguments: [], review: { parts, offersReading: false } };
}

function argumentsOf(count: number): Approval['arguments'] {
  return Array.from({ length: count }, (_, index) => ({ name: `to_${index}`, value: 'ada' }));
}

const REVIEW = { short: review(1), long: review(MANY), button: 'Allow' };
const SHOWN: Readonly<Record<Decision, Shown>> = {
  'a call': {
    short: { ...call, arguments: argumentsOf(1) },
    long: { ...call, arguments: argumentsOf(MANY) },
    button: 'Allow',
  },
  'what a server lists': REVIEW,
  'what lets agents do more': REVIEW,
  'a login': {
    short: { ...call, arguments: [], offer: OFFER, claim: 'shop needs a login.' },
    long: { ...call, arguments: [], offer: OFFER, claim: LONG_TEXT },
    button: 'Log in',
  },
};

export function approvalOf(decision: Decision): Approval {
  return SHOWN[decision].short;
}

/** A window or a page that asks, in a browser. */
interface Screen {
  readonly page: OpenPage['page'];
  /** The button. */
  readonly allow: ReturnType<OpenPage['page']['locator']>;
  /** From now on presses count. */
  settled(): Promise<unknown>;
  isOpen(): Promise<boolean>;
}

/** @param pressAtOnce presses the button when it, or the person, has just come */
function onScreen(
  decision: Decision,
  show: (approval: Approval, button: string) => Promise<Screen>,
  pressAtOnce: (screen: Screen) => Promise<unknown>,
) {
  const { short, long, button } = SHOWN[decision];
  return {
    async 'all of it was in view'() {
      const { allow, settled, isOpen } = await show(long, button);
      await settled();
      await allow.click({ force: true });
      return isOpen();
    },
    async 'Enter never allows'() {
      const { page, allow, settled, isOpen } = await show(short, button);
      await settled();
      await allow.focus();
      for (const key of ['Shift', 'Enter', 'Enter']) await page.keyboard.press(key);
      return isOpen();
    },
    async 'a press for something else'() {
      const screen = await show(short, button);
      await pressAtOnce(screen);
      return screen.isOpen();
    },
    async 'the person is asked'() {
      const { settled, isOpen } = await show(short, button);
      await settled();
      return isOpen();
    },
  } satisfies Partial<Record<Gate, Trial>>;
}

/** The window of the popup, in a browser. Its clock stands. */
async function ofPopup(approval: Approval): Promise<Screen> {
  const { page, advance, state } = await openWindow(popupSpec({ message: 'Allow it?', approval }));
  const isOpen = async () => (await state()) === 'open';
  return { page, allow: page.locator('#allow'), settled: () => advance(HOUR_MS), isOpen };
}

export const inWindow = (decision: Decision) =>
  onScreen(decision, ofPopup, ({ allow }) => allow.click({ force: true }));

/** The page of the desk, in a browser. */
async function onPage(approval: Approval, button: string): Promise<Screen> {
  const desk = await openPage();
  const outcome = desk.ask('Allow it?', { kind: 'approval', approval });
  const browser = await sharedBrowser();
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(desk.link);
  const allow = page.locator('.item', { hasText: 'Allow it?' }).getByRole('button', { name: button }).first();
  await allow.waitFor();
  // The page ignores presses right after a change.
  const settled = async () => {
    const since = await page.evaluate(() => performance.now());
    await page.waitForFunction((at) => performance.now() - at > 700, since);
  };
  /** What the page has sent before has arrived. */
  const isOpen = async () => {
    await page.evaluate(`fetch('/').catch(() => undefined)`);
    return Promise.race([outcome.then(({ kind }) => kind !== 'allowed'), immediate()]);
  };
  return { page, allow, settled, isOpen };
}

/** Later than an outcome that is there. */
async function immediate(): Promise<true> {
  await new Promise((resolve) => void setImmediate(resolve));
  return true;
}

/** In one turn: the keyboard comes to a page that stands, and a press. */
async function pressInOneTurn({ page, allow, settled }: Screen): Promise<void> {
  await settled();
  const id = await allow.evaluate((node) => (node.id ||= 'pressed'));
  await page.evaluate(`
    for (const name of ['blur', 'focus']) dispatchEvent(new Event(name));
    const pressed = document.getElementById('${id}');
    pressed.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    pressed.click();`);
}

/** The page of the desk: a page that is gone decides nothing. */
export function inPage(decision: Decision) {
  return {
    ...onScreen(decision, onPage, pressInOneTurn),
    async 'fails closed'() {
      const desk = await openPage();
      const approval = SHOWN[decision].short;
      const outcome = desk.ask('Allow it?', { kind: 'approval', approval });
      const key = await desk.keyOf();
      await desk.page[Symbol.asyncDispose]();
      // The desk has ended: nobody listens there any more.
      await desk
        .answer(key, desk.idOf('Allow it?'), { kind: 'allow', scope: 'once', ids: ['a'] })
        .catch(() => 0);
      return Promise.race([outcome.then(({ kind }) => kind !== 'allowed'), immediate()]);
    },
  };
}
