import { fixedClock } from '@deskside/testkit';
import { PageState, parsePageMessage } from '../page/page-state.ts';
import { renderCalls } from '@deskside/look/approval';
import { renderPage } from '../page/render-page.ts';
import type { InboxRequest } from '@deskside/desktop';
import { approvalOf, type DecisionStep } from './decision-streams.ts';
import type { AnyPlace, DecisionPlace, Expected, Step } from './key-streams.ts';
import { popupSpec } from './samples.ts';
import { openStreamPage, type PageReport } from './stream-page.ts';
import type { Change } from './stream-world.ts';

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

/** Keys that can send a message whose answer changes the page: no further one before it. */
const SENDING: ReadonlySet<string> = new Set(['Enter', 'Escape', ' ']);

const OTHER = { id: 'other', caller: 'Codex', since: '2026-03-01T10:00:00Z', firstLine: 'And?', here: true };

/** Plays streams with events of the browser. Time, and who has the keyboard, change only with the stream. */
export async function openStreamPlayer() {
  const page = await openStreamPage();

  return async (
    question: Partial<InboxRequest>,
    isOtherWaiting: boolean,
    steps: readonly (Step | DecisionStep)[],
    isTyping = false,
  ): Promise<Expected> => {
    let saved = '';
    const spec = popupSpec(question, { onDraft: (text) => void (saved = text) });
    const server = openServer(spec);
    const waiting = isOtherWaiting ? [OTHER] : [];
    server.state.notify({ kind: 'waiting', waiting });
    const { html } = renderPage(spec, { theme: 'light', plain: false, centered: true });
    await page.open(html('', undefined, [], isTyping), waiting, server.receive);
    await server.state.ready;

    /** Before the next event. */
    const due: Change[] = [];
    const burst: { readonly key: string; readonly after: readonly Change[] }[] = [];
    const sendKeys = async () => {
      if (burst.length > 0) await page.keys(burst.splice(0));
    };
    let hasKeyboard = false;
    const give = (given: boolean): Change => {
      hasKeyboard = given;
      return { do: 'keyboard', given };
    };
    let calls = 1;
    const join = (): Change => {
      calls += 1;
      return { do: 'join', html: renderCalls(approvalOf(calls)) };
    };
    for (const step of steps) {
      if (step.do === 'wait') due.push(step);
      else if (step.do === 'join') due.push(join());
      else if (step.do === 'focus') due.push(give(step.window === 'popup'));
      else if (step.do === 'press') {
        await sendKeys();
        const between: Change[] = [];
        if (step.activation === 'before') due.push(give(true));
        if (step.activation === 'between') between.push(give(true));
        if ('joins' in step && step.joins) between.push(join());
        const place = { selector: SELECTORS[step.place], atEnd: step.place === 'box' };
        await page.press(place, due.splice(0), between);
        if (!hasKeyboard) due.push(give(true));
      } else if (hasKeyboard) {
        // The browser chooses the target of a key before the key makes its changes.
        if (due.some((each) => each.do === 'keyboard')) {
          await sendKeys();
          await page.change(due.splice(0));
        }
        burst.push({ key: step.key, after: due.splice(0) });
        if (SENDING.has(step.key)) await sendKeys();
      }
    }
    await sendKeys();
    await page.change(due);
    const { ms, typed } = await page.change([]);
    server.pass(ms);
    const ending = await Promise.race([server.state.ended, Promise.resolve({ kind: 'open' } as const)]);
    server.state.dispose();
    if (ending.kind === 'submitted') return { ending, typed: undefined };
    return { ending, typed: ending.kind === 'open' ? typed : saved };
  };
}

/** What the server makes of the messages, at the time of the page. Other tests send them over HTTP. */
function openServer(spec: ReturnType<typeof popupSpec>) {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const state = new PageState(spec, clock);
  let passed = 0;
  let calls = 1;
  const pass = (ms: number) => {
    clock.advance(ms - passed);
    passed = ms;
  };
  return {
    state,
    pass,
    receive({ ms, message }: PageReport): boolean {
      pass(ms);
      if (message.type === 'join') {
        calls += 1;
        state.notify({ kind: 'approval', approval: approvalOf(calls) });
        return true;
      }
      const parsed = parsePageMessage(JSON.stringify(message));
      return parsed !== undefined && state.receive(parsed);
    },
  };
}
