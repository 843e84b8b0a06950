import { fixedClock } from '@deskside/testkit';
import type { Browser } from 'playwright-core';
import { openPageServer } from '../page/page-server.ts';
import type { Question } from '../service/presenter.ts';
import { approvalOf, type DecisionStep } from './decision-streams.ts';
import type { AnyPlace, DecisionPlace, Expected, Step } from './key-streams.ts';
import { STOPPED_CLOCK } from './page-in-browser.ts';
import { addressOf, popupSpec } from './samples.ts';

const SELECTORS: Readonly<Record<AnyPlace | DecisionPlace, string>> = {
  send: '#submit',
  cancel: '#cancel',
  later: '#later',
  undo: '#undo',
  quiet: '#quiet button:first-of-type',
  box: '#reply',
  message: '#message',
  'reply 1': '.replies li:nth-child(1) button',
  'reply 2': '.replies li:nth-child(2) button',
  allow: '#allow',
  deny: '#deny',
  more: '#more-toggle',
  session: '[data-scope=session]',
  always: '[data-scope=always]',
};

/** The browser gives every page of a test the keyboard. Time passes when the server has all that the page sent before. */
const WORLD = `
  let hasKeyboard = false;
  document.hasFocus = () => hasKeyboard;
  globalThis.giveKeyboard = (given) => {
    if (given === hasKeyboard) return;
    hasKeyboard = given;
    dispatchEvent(new Event(given ? 'focus' : 'blur'));
  };
  window.close = () => undefined;
  const send = window.fetch;
  const unsent = new Set();
  window.fetch = (...request) => {
    const answer = send(...request).finally(() => unsent.delete(answer));
    unsent.add(answer);
    return answer;
  };
  globalThis.pass = async (ms) => {
    while (unsent.size > 0) await Promise.allSettled(unsent);
    clock += ms;
  };`;

const OTHER = { id: 'other', caller: 'Codex', since: '2026-03-01T10:00:00Z', firstLine: 'And?', here: true };

/** Plays streams in the page of a popup. Time, and who has the keyboard, change only with the stream. */
export async function openStreamPlayer(browser: Browser) {
  const page = await browser.newPage({ viewport: { width: 500, height: 400 } });
  await page.addInitScript(STOPPED_CLOCK + WORLD);

  return async (
    question: Partial<Question>,
    isOtherWaiting: boolean,
    steps: readonly (Step | DecisionStep)[],
  ): Promise<Pick<Expected, 'ending' | 'typed'>> => {
    const clock = fixedClock('2026-03-01T10:00:00Z');
    let saved = '';
    const spec = popupSpec(question, { onDraft: (text) => void (saved = text) });
    const server = await openPageServer(spec, {
      page: Promise.resolve({ theme: 'light', plain: false, centered: true }),
      openLink: () => undefined,
      clock,
    });
    await page.goto(addressOf(server));
    await server.ready;
    if (isOtherWaiting) {
      server.notify({ kind: 'waiting', waiting: [OTHER] });
      await page.locator('#waiting').waitFor();
    }
    let calls = 1;
    const join = async () => {
      calls += 1;
      server.notify({ kind: 'approval', approval: approvalOf(calls) });
      await page
        .locator('.call')
        .nth(calls - 1)
        .waitFor({ state: 'attached' });
    };
    let hasKeyboard = false;
    const give = (given: boolean) => {
      hasKeyboard = given;
      return page.evaluate(`giveKeyboard(${given})`);
    };
    for (const step of steps) {
      if (step.do === 'wait') {
        await page.evaluate(`pass(${step.ms})`);
        clock.advance(step.ms);
      } else if (step.do === 'join') {
        await join();
      } else if (step.do === 'focus') {
        await give(step.window === 'popup');
      } else if (step.do === 'key') {
        if (hasKeyboard) await page.keyboard.press(step.key);
      } else {
        const box = await page.locator(SELECTORS[step.place]).boundingBox();
        if (box === null) throw new Error(`${step.place} is not visible`);
        // At the end of the text.
        const x = step.place === 'box' ? box.x + box.width - 4 : box.x + box.width / 2;
        await page.mouse.move(x, box.y + box.height / 2);
        if (step.activation === 'before') await give(true);
        await page.mouse.down();
        if (step.activation === 'between') await give(true);
        if ('joins' in step && step.joins) await join();
        await page.mouse.up();
        await give(true);
      }
    }
    await page.evaluate('pass(0)');
    const ending = await Promise.race([server.ended, Promise.resolve({ kind: 'open' } as const)]);
    const typed = ending.kind === 'open' ? await page.locator('#reply').inputValue() : saved;
    await page.goto('about:blank');
    await server.close();
    return { ending, typed: ending.kind === 'submitted' ? undefined : typed };
  };
}
