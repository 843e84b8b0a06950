import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  nat,
  oneof,
  record,
} from 'fast-check';
import {
  noJournal,
  type InboxChange,
  type InboxItem,
  type InboxRequest,
  type Answer,
  type Ended,
  type PopupOutcome,
} from '@deskside/desktop';
import { expect, test } from 'vitest';
import { openInbox } from '../testing/inbox-world.ts';
import { endingText, outcomeWord } from './outcome-text.ts';

interface Asking {
  readonly kind?: InboxRequest['kind'];
  readonly session?: string;
  readonly timeout?: number;
  /** When the client's form is sent; undefined: the client has none. */
  readonly form?: 'without a window' | 0 | 3000;
  readonly isInteractive?: boolean;
}

/** One call, with a form that the test answers. */
function newCall(id: string, asking: Asking, hasWindow: boolean, askedMs: number) {
  return {
    id,
    kind: asking.kind ?? ('question' as const),
    asking,
    /** A window may open. */
    hasWindow,
    askedMs,
    /** Its caller cancels it, or goes away. */
    leave: (_isDisconnected: boolean) => {},
    form: {
      ...Promise.withResolvers<Answer>(),
      signal: undefined as AbortSignal | undefined,
      sentAt: 0,
      isSettled: false,
    },
    /** It had a window when it ended. */
    endsInWindow: false,
    endedMs: undefined as number | undefined,
    outcome: undefined as PopupOutcome | undefined,
    /** The last surface is closed. */
    isOver: false,
    /** News that closed because it was read. */
    isRead: false,
    /** The answers of the first step that had one; of several at once the inbox may take any. */
    given: [] as PopupOutcome[],
    /** What was typed last in its window, and was not sent from there. */
    typed: '',
  };
}

type Call = ReturnType<typeof newCall>;

/** An inbox with three surfaces, and all that happened on it. */
function open() {
  const world = { hasDisplay: true };
  const noDisplay = { kind: 'no-display', tried: [] } as const;
  const records = new Map<string, string[]>();
  const popup = openInbox({
    opens: () =>
      new Promise((resolve) => {
        popup.clock.after(1, resolve);
      }),
    obstacle: () => (world.hasDisplay ? undefined : noDisplay),
    journal: {
      ...noJournal,
      begin({ id = '', kind }) {
        const events: string[] = [kind];
        records.set(id, events);
        return {
          id,
          shown: () => void events.push('shown'),
          seen: () => undefined,
          end: (outcome, via) => void events.push(via === undefined ? outcome : `${outcome} ${via}`),
        };
      },
    },
  });
  const { clock } = popup;
  const calls: Call[] = [];
  const view = new Map<string, InboxItem>();
  const ended = new Map<string, Ended>();
  popup.inbox.subscribe((change) => {
    const call = calls.find(({ id }) => change.kind === 'ended' && id === change.id);
    if (call !== undefined) call.endsInWindow = popup.windows[0]?.spec.question.message === call.id;
    apply(view, ended)(change);
  });

  const ask = (asking: Asking = {}): Call => {
    const { form, ...asked } = asking;
    const call = newCall(`item-${calls.length}`, asking, world.hasDisplay, clock.elapsedMs());
    calls.push(call);
    const afterMs = typeof form === 'number' ? { afterMs: form } : {};
    const ways = {
      ...afterMs,
      ask: (signal: AbortSignal) => {
        call.form.signal = signal;
        call.form.sentAt = clock.elapsedMs();
        return call.form.promise;
      },
    };
    const { outcome, cancel, disconnect } = popup.call(call.id, {
      ...asked,
      item: { id: call.id, user: 'owner' },
      form: form === undefined ? undefined : ways,
      onEnd: () => (call.isOver = true),
    });
    call.leave = (isDisconnected) => (isDisconnected ? disconnect() : cancel());
    void outcome.then((ended) => Object.assign(call, { outcome: ended, endedMs: clock.elapsedMs() }));
    return call;
  };
  return { popup, clock, world, calls, view, ended, records, ask };
}

type World = ReturnType<typeof open>;

/** What a page would keep. */
function apply(view: Map<string, InboxItem>, ended: Map<string, Ended>) {
  return (change: InboxChange) => {
    if (change.kind === 'open') {
      expect(ended.has(change.item.id)).toBe(false);
      return view.set(change.item.id, change.item);
    }
    expect(ended.has(change.id)).toBe(false);
    view.delete(change.id);
    return ended.set(change.id, { outcome: change.outcome, via: change.via });
  };
}

const isFormOpen = ({ form }: Call) => form.signal !== undefined && !form.signal.aborted && !form.isSettled;

function outcomeOf(call: Call, answer: Answer): PopupOutcome {
  if (call.kind === 'news') return { kind: 'displayed' };
  return answer.kind === 'submitted' && answer.text.trim() === '' ? { kind: 'empty' } : answer;
}

/** The person answers in the window. */
function answerWindow({ popup, calls, view }: World, answer: Answer): void {
  const [window] = popup.windows;
  const call = calls.find(({ id }) => id === window?.spec.question.message);
  if (window?.isShown !== true || call === undefined) return;
  if (view.has(call.id)) call.given.push(outcomeOf(call, answer));
  if (answer.kind === 'submitted' && call.outcome === undefined) call.typed = '';
  window.end(answer);
}

function answerForm({ clock, view }: World, call: Call | undefined, answer: Answer | 'fails'): void {
  if (call === undefined || !isFormOpen(call)) return;
  call.form.isSettled = true;
  if (answer === 'fails') return call.form.reject(new Error('no form'));
  // No person declines a form in a second, and none in two if the window is open, too.
  const tookMs = clock.elapsedMs() - call.form.sentAt;
  const isPerson = call.hasWindow ? call.asking.isInteractive === true && tookMs >= 2000 : tookMs >= 1000;
  const decides = answer.kind === 'submitted' || isPerson;
  if (view.has(call.id) && decides) call.given.push(outcomeOf(call, answer));
  call.form.resolve(answer);
}

function answerPage({ popup, view }: World, call: Call | undefined, answer: Answer): void {
  if (call === undefined) return;
  const isOpen = view.has(call.id);
  expect(popup.inbox.answer(call.id, answer, 'page')).toBe(isOpen);
  if (isOpen) call.given.push(outcomeOf(call, answer));
}

/** What holds at any time. */
function check({ popup, calls, view, ended, records }: World): void {
  const [window] = popup.windows;
  for (const call of calls) {
    const item = view.get(call.id);
    const end = ended.get(call.id);
    // The view is the model: a question is open until its call has its outcome, news until its last surface closes.
    const isOpen = call.kind === 'news' ? !call.isOver : call.outcome === undefined;
    expect([call.id, item !== undefined, end === undefined]).toStrictEqual([call.id, isOpen, isOpen]);
    const isInWindow = window?.isShown === true && window.spec.question.message === call.id;
    if (item !== undefined) {
      expect([call.given, call.isRead]).toStrictEqual([[], false]);
      expect(item.surfaces).toStrictEqual([
        ...(isInWindow ? ['window'] : []),
        ...(isFormOpen(call) ? ['form'] : []),
      ]);
      continue;
    }
    if (end === undefined) continue;
    // One outcome, and the first answer is it.
    if (call.kind !== 'news') expect(end.outcome).toStrictEqual(call.outcome);
    if (call.given.length > 0) expect(call.given).toContainEqual(end.outcome);
    expect(end.via === undefined).toBe(call.given.length === 0);
    const [word, ...more] =
      records.get(call.id)?.filter((event) => ![call.kind, 'shown'].includes(event)) ?? [];
    expect(more).toStrictEqual([]);
    const said = [outcomeWord(end.outcome), end.via].filter(Boolean).join(' ');
    expect(['interrupted', said]).toContain(word);
    // Every other surface is closed with what happened.
    if (call.form.signal !== undefined && !call.form.isSettled && end.outcome.kind !== 'sent')
      expect(call.form.signal.reason).toBe(endingText(end));
    if (call.endsInWindow && !isInWindow && !popup.left.includes(call.id))
      expect(popup.seen).toContain(`close ${call.id}`);
    if (isInWindow) expect(call.outcome).toStrictEqual({ kind: 'abandoned' });
  }
  const late = new Map<string, InboxItem>();
  popup.inbox.subscribe(apply(late, new Map()))();
  expect(late).toStrictEqual(view);
}

const declined = constantFrom({ kind: 'cancelled' as const }, { kind: 'dismissed' as const });
const answer: Arbitrary<Answer> = oneof(
  constantFrom('', 'yes', 'no').map((text) => ({ kind: 'submitted' as const, text })),
  declined,
);
const number = nat(6);

type Step = (world: World) => void | Promise<void>;

/** What happens with a value. */
function step<Value>(
  values: Arbitrary<Value>,
  run: (world: World, value: Value) => void | Promise<void>,
): Arbitrary<Step> {
  return values.map((value) => (world) => run(world, value));
}

const asking = record(
  {
    kind: constantFrom('question', 'question', 'news'),
    session: constantFrom('one', 'two'),
    timeout: constantFrom(5, 20),
    form: constantFrom<NonNullable<Asking['form']>>('without a window', 0, 3000),
    isInteractive: boolean(),
  },
  { requiredKeys: ['kind'] },
);
const formAnswer = record({ call: number, given: oneof(answer, constant('fails' as const)) });
/** At the limits of what a person can have declined. */
const decline = record({
  hasDisplay: boolean(),
  isInteractive: boolean(),
  given: declined,
  tookMs: constantFrom(999, 1000, 1999, 2000),
});

const anyStep: Arbitrary<Step> = oneof(
  { weight: 3, arbitrary: step(asking, (world, asked) => void world.ask(asked)) },
  step(answer, answerWindow),
  {
    weight: 3,
    arbitrary: step(formAnswer, (world, { call, given }) =>
      answerForm(world, world.calls.findLast(isFormOpen) ?? world.calls[call], given),
    ),
  },
  {
    weight: 2,
    arbitrary: step(decline, async (world, { hasDisplay, isInteractive, given, tookMs }) => {
      Object.assign(world.world, { hasDisplay });
      const call = world.ask({ form: 0, isInteractive });
      await world.clock.advanceAsync(tookMs);
      answerForm(world, call, given);
    }),
  },
  step(record({ call: number, given: answer }), (world, { call, given }) =>
    answerPage(world, world.calls[call], given),
  ),
  // Two surfaces at once.
  step(
    record({ call: number, one: answer, other: answer, isPageFirst: boolean() }),
    (world, { call, one, other, isPageFirst }) => {
      if (isPageFirst) answerPage(world, world.calls[call], one);
      answerWindow(world, one);
      answerForm(world, world.calls[call], other);
      if (!isPageFirst) answerPage(world, world.calls[call], other);
    },
  ),
  step(constantFrom('later', 'lost', 'read'), ({ popup: { windows }, calls }, kind) => {
    const [window] = windows;
    const call = calls.find(({ id }) => id === window?.spec.question.message);
    // Only news closes because it was read.
    if (window?.isShown !== true || call === undefined || (kind === 'read' && call.kind !== 'news')) return;
    call.isRead ||= kind === 'read';
    window.end(kind === 'lost' ? { kind, reason: 'crash' } : { kind });
  }),
  step(constantFrom('half', ''), ({ popup, calls }, text) => {
    const [window] = popup.windows;
    const call = calls.find(({ id }) => id === window?.spec.question.message);
    window?.spec.onDraft(text);
    if (call !== undefined && call.kind !== 'news') call.typed = text === '' ? '' : `${text} of ${call.id}`;
    if (call?.typed) window?.spec.onDraft(call.typed);
  }),
  // The person steps to another question, and another process waits or gives the desk back.
  step(number, ({ popup: { desk, windows } }, place) => {
    const here = desk.items.filter(({ process }) => process === 'this');
    if (windows[0]?.isShown) windows[0].end({ kind: 'show', id: here[place]?.id ?? '' });
  }),
  step(nat(2), ({ popup }, count) => {
    const about = { kind: 'question', caller: 'Another host', since: '', firstLine: '', place: 0 } as const;
    const item = { process: 'another', ...about };
    popup.desk.others(Array.from({ length: count }, (_, index) => ({ id: `other ${index}`, ...item })));
  }),
  step(constant(true), ({ popup }, isOurs) => popup.desk.give(isOurs)),
  step(record({ call: number, isDisconnected: boolean() }), ({ calls }, { call, isDisconnected }) =>
    calls[call]?.leave(isDisconnected),
  ),
  step(boolean(), ({ world }, hasDisplay) => void Object.assign(world, { hasDisplay })),
  step(constantFrom(1, 1500, 5000, 11_000, 31_000), ({ clock }, ms) => clock.advanceAsync(ms)),
  step(constantFrom(-3_600_000, 3_600_000), ({ clock }, ms) => clock.jump(ms)),
);

test('a form that is answered too late takes nothing from the text in the box', async () => {
  const { popup, clock, ask } = open();
  const call = ask({ form: 0 });
  await clock.advanceAsync(1);
  popup.windows[0]?.spec.onDraft('red, or');
  popup.inbox.answer(call.id, { kind: 'submitted', text: 'green' }, 'page');
  call.form.resolve({ kind: 'submitted', text: 'blue' });
  await clock.advanceAsync(0);
  expect(call.outcome).toStrictEqual({ kind: 'submitted', text: 'green' });
  expect(await popup.drafts.list()).toMatchObject([{ text: 'red, or\nblue' }]);
});

const runs = process.env['DESKSIDE_PROOF'] ? 20_000 : 300;

/** The longest time of a call; undefined if the person decides. */
function limitMs({ kind, asking: { timeout } }: Call): number | undefined {
  return timeout === undefined || kind === 'news' ? undefined : 1000 * (timeout + Math.min(timeout, 30));
}

test(`in ${runs} random days every call ends once, in time and with the first answer, on all surfaces, and no text is lost`, async () => {
  await assert(
    asyncProperty(array(anyStep, { maxLength: 25 }), async (steps) => {
      const world = open();
      for (const run of steps) {
        await run(world);
        await world.clock.advanceAsync(0);
        check(world);
        expect(world.popup.windows.length).toBeLessThanOrEqual(1);
      }
      const closing = world.popup.inbox[Symbol.asyncDispose]();
      await world.clock.advanceAsync(1);
      await closing;
      check(world);
      expect(world.view.size).toBe(0);
      expect(world.popup.windows).toStrictEqual([]);
      const saved = (await world.popup.drafts.list()).map(({ text }) => text);
      for (const call of world.calls) {
        const tookMs = (call.endedMs ?? Infinity) - call.askedMs;
        expect(tookMs).toBeLessThanOrEqual(limitMs(call) ?? Number.MAX_VALUE);
        // A question that cannot be shown for 5 s ends earlier.
        if (call.outcome?.kind === 'timeout')
          expect(tookMs).toBeGreaterThanOrEqual(1000 * ((call.asking.timeout ?? 0) - 5));
        if (call.typed !== '') expect(saved.join('\n')).toContain(call.typed);
      }
    }),
    { numRuns: runs },
  );
});

test('a question that waits for its window ends at its timeout while its form is open', async () => {
  const { ask, clock } = open();
  ask();
  const call = ask({ timeout: 20, form: 0 });
  await clock.advanceAsync(19_999);
  expect(call.outcome).toBeUndefined();
  await clock.advanceAsync(1);
  expect(call.outcome).toStrictEqual({ kind: 'timeout' });
});
