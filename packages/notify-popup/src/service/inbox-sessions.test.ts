import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  nat,
  oneof,
  record,
} from 'fast-check';
import { expect, test } from 'vitest';
import { memoryDraftStore } from '../history/drafts.ts';
import { scriptedPopup } from '../testing/scripted-popup.ts';
import { fixedClock } from '@deskside/testkit';
import type { InboxRequest, PopupOutcome } from '@deskside/desktop';
import { CannotPresent, type Ending } from './presenter.ts';

/** Something that happens on a desktop with several agents. */
type Happening =
  | {
      readonly do: 'ask';
      readonly kind: 'question' | 'news';
      readonly session?: string;
      readonly timeout?: number;
    }
  | { readonly do: 'cancel'; readonly call: number }
  | { readonly do: 'type'; readonly text: string }
  | { readonly do: 'end'; readonly ending: Ending }
  | { readonly do: 'step'; readonly to: number }
  | { readonly do: 'use' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'others'; readonly count: number }
  | { readonly do: 'give' };

const happening: Arbitrary<Happening> = oneof(
  record(
    {
      do: constant('ask' as const),
      kind: constantFrom('question' as const, 'question' as const, 'news' as const),
      session: constantFrom('one', 'two', 'three'),
      timeout: constantFrom(5, 20, 60),
    },
    { requiredKeys: ['do', 'kind'] },
  ),
  record({ do: constant('cancel' as const), call: nat(10) }),
  record({ do: constant('type' as const), text: constantFrom('', 'yes', 'yes, but') }),
  record({
    do: constant('end' as const),
    ending: oneof(
      constantFrom('cancelled' as const, 'dismissed' as const, 'later' as const).map((kind) => ({ kind })),
      constantFrom('', 'sure').map((text) => ({ kind: 'submitted' as const, text })),
      constant({ kind: 'lost' as const, reason: 'crash' }),
    ),
  }),
  record({ do: constant('step' as const), to: nat(5) }),
  constant({ do: 'use' as const }),
  record({ do: constant('wait' as const), ms: constantFrom(1, 900, 4000, 11_000, 31_000) }),
  record({ do: constant('others' as const), count: nat(2) }),
  constant({ do: 'give' as const }),
);

interface Call {
  readonly request: InboxRequest;
  readonly askedAt: number;
  readonly cancel: () => void;
  readonly outcomes: PopupOutcome[];
  endedAt?: number;
}

/** Milliseconds that windows need to open, in turn; 0 does not open. */
const openingTimes = array(constantFrom(1, 1, 1, 900, 7000, 0), { minLength: 1, maxLength: 8 });

async function live(openings: readonly number[], happenings: readonly Happening[]) {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const drafts = memoryDraftStore(clock.now);
  let opened = 0;
  const opens = () => {
    const ms = openings[opened % openings.length] ?? 1;
    opened += 1;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    clock.after(ms, () => (ms === 0 ? reject(new CannotPresent('chromium showed nothing')) : resolve()));
    return promise;
  };
  const popup = scriptedPopup({ clock, drafts, opens });
  const calls: Call[] = [];
  /** The last text that was typed for each question, unless the question was answered. */
  const typed = new Map<string, string>();

  const ask = ({ kind, session, timeout }: Extract<Happening, { do: 'ask' }>) => {
    const stop = new AbortController();
    const about = { title: 'VoiceMode', theme: 'auto', showsHistory: false, chimes: false } as const;
    const request: InboxRequest = {
      kind,
      message: `message ${calls.length}`,
      caller: 'Example host',
      ...about,
      ...(timeout === undefined ? {} : { timeout }),
    };
    const log = { debug: () => undefined, info: () => undefined, warn: () => undefined };
    const call: Call = { request, askedAt: clock.elapsedMs(), cancel: () => stop.abort(), outcomes: [] };
    calls.push(call);
    void follow(call, popup.inbox.ask(request, { session, signal: stop.signal, log }));
  };
  const follow = async (call: Call, outcome: Promise<PopupOutcome>) => {
    call.outcomes.push(await outcome);
    call.endedAt = clock.elapsedMs();
  };
  const end = (ending: Ending) => {
    const window = popup.windows[0];
    if (window?.isShown !== true) return;
    window.end(ending);
    const call = calls.find(({ request }) => request.message === window.spec.question.message);
    if (ending.kind === 'submitted' && call?.outcomes.length === 0)
      typed.delete(window.spec.question.message);
  };

  for (const each of happenings) {
    const window = popup.windows[0];
    switch (each.do) {
      case 'ask':
        ask(each);
        break;
      case 'cancel':
        calls[each.call]?.cancel();
        break;
      case 'type':
        if (window?.spec.question.waitsForResponse === true) {
          window.spec.onDraft(each.text);
          typed.set(window.spec.question.message, each.text);
        }
        break;
      case 'end':
        end(each.ending);
        break;
      case 'step': {
        const here = popup.desk.items.filter(({ process }) => process === 'this');
        end({ kind: 'show', id: here[each.to]?.id ?? '' });
        break;
      }
      case 'use':
        window?.spec.onActivity();
        break;
      case 'wait':
        await clock.advanceAsync(each.ms);
        break;
      case 'others': {
        const about = {
          kind: 'question',
          caller: 'Another host',
          since: '',
          firstLine: '',
          place: 0,
        } as const;
        popup.desk.others(
          Array.from({ length: each.count }, (_, index) => ({
            id: `other ${index}`,
            process: 'another',
            ...about,
          })),
        );
        break;
      }
      case 'give':
        popup.desk.give(true);
    }
    await clock.advanceAsync(0);
    expect(popup.windows.length).toBeLessThanOrEqual(1);
  }
  return { popup, clock, calls, typed, drafts };
}

/** The longest time of a call; undefined if the person decides. */
function limitOf({ kind, timeout }: InboxRequest): number | undefined {
  if (timeout === undefined || kind === 'news') return undefined;
  return 1000 * (timeout + Math.min(timeout, 30));
}

const runs = process.env['DESKSIDE_PROOF'] ? 20_000 : 300;

test(`in ${runs} random days of several agents every call ends once and in time, and no text is lost`, async () => {
  await assert(
    asyncProperty(openingTimes, array(happening, { maxLength: 30 }), async (openings, happenings) => {
      const { popup, clock, calls, typed, drafts } = await live(openings, happenings);
      for (const { request, askedAt, outcomes } of calls) {
        const limit = limitOf(request);
        if (limit !== undefined && clock.elapsedMs() > askedAt + limit) expect(outcomes).toHaveLength(1);
      }
      const closing = popup.inbox[Symbol.asyncDispose]();
      await clock.advanceAsync(1);
      await closing;
      expect(popup.windows).toStrictEqual([]);
      for (const { request, askedAt, endedAt, outcomes } of calls) {
        expect(outcomes).toHaveLength(1);
        expect((endedAt ?? Infinity) - askedAt).toBeLessThanOrEqual(limitOf(request) ?? Infinity);
      }
      const saved = (await drafts.list()).map(({ text }) => text);
      for (const text of typed.values()) if (text !== '') expect(saved).toContain(text);
    }),
    { numRuns: runs },
  );
});
