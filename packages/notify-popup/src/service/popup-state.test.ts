import {
  type Arbitrary,
  array,
  assert,
  boolean,
  constant,
  constantFrom,
  oneof,
  property,
  record,
} from 'fast-check';
import { expect, test } from 'vitest';
import type { Answer, NoWindow, Surface } from '@deskside/desktop';
import {
  newPopup,
  type PopupEffect,
  type PopupEvent,
  type PopupKind,
  type PopupState,
  step,
} from './popup-state.ts';

const text = constantFrom('', ' ', 'yes');
const via = constantFrom<Surface>('window', 'form', 'page');
const answer = oneof(
  text.map((reply): Answer => ({ kind: 'submitted', text: reply })),
  constantFrom<Answer>({ kind: 'cancelled' }, { kind: 'dismissed' }),
  constantFrom<Answer>({ kind: 'allowed', scope: 'once' }, { kind: 'denied', text: 'no' }),
);
const obstacle = constantFrom<NoWindow>(
  { kind: 'no-display', tried: [] },
  { kind: 'failed', reason: 'crash' },
);
const plain = constantFrom(
  ...(['possible', 'turn', 'visible', 'formDue', 'later', 'stepped', 'timedOut', 'overdue'] as const),
  ...(['patienceOver', 'replaced', 'stopping'] as const),
);
const event: Arbitrary<PopupEvent> = oneof(
  { weight: 8, arbitrary: plain.map((type) => ({ type })) },
  { weight: 3, arbitrary: record({ type: constant('answered' as const), answer, via }) },
  record({ type: constant('typed' as const), text }),
  record({ type: constantFrom('lost' as const, 'formFailed' as const), reason: constant('crash') }),
  record({ type: constant('failed' as const), obstacle }),
  record({ type: constant('displaced' as const), wasRead: boolean() }),
  record({ type: constant('callerLeft' as const), isDisconnected: boolean() }),
);
const kind = constantFrom<PopupKind>('question', 'news', 'approval');

interface Life {
  readonly states: readonly PopupState[];
  /** The effects of each event. */
  readonly effects: readonly (readonly PopupEffect[])[];
}

function live(popupKind: PopupKind, events: readonly PopupEvent[], hasForm = true): Life {
  const states: PopupState[] = [];
  const effects: (readonly PopupEffect[])[] = [];
  let state = newPopup(popupKind, hasForm);
  for (const each of events) {
    const result = step(state, each);
    ({ state } = result);
    states.push(state);
    effects.push(result.effects);
  }
  return { states, effects };
}

/** A short run in `npm test`. */
const runs = { numRuns: process.env['DESKSIDE_PROOF'] ? 100_000 : 1000 };

const kinds = (effects: readonly PopupEffect[]) => effects.map((effect) => effect.do);

test('whatever happens, a call is answered once, and no later than the end of its popup', () => {
  assert(
    property(kind, array(event, { maxLength: 20 }), (popupKind, events) => {
      const { states, effects } = live(popupKind, events);
      const answers = effects.flat().filter((effect) => effect.do === 'answer');
      expect(answers.length).toBeLessThanOrEqual(1);
      expect(states.every(({ phase, isAnswered }) => phase !== 'over' || isAnswered)).toBe(true);
      expect(states.at(-1)?.isAnswered ?? false).toBe(answers.length === 1);
    }),
    runs,
  );
});

test('whatever happens, a window is open exactly while its popup opens, is shown or keeps a draft', () => {
  assert(
    property(kind, array(event, { maxLength: 20 }), (popupKind, events) => {
      const { states, effects } = live(popupKind, events);
      let windows = 0;
      for (const [index, { phase }] of states.entries()) {
        const now = kinds(effects[index] ?? []);
        windows += now.filter((name) => name === 'openWindow').length;
        windows -= now.filter((name) => name === 'closeWindow').length;
        expect(windows).toBe(['opening', 'shown', 'callerGone'].includes(phase) ? 1 : 0);
      }
    }),
    runs,
  );
});

test('whatever happens, a draft is deleted only when its text is sent', () => {
  assert(
    property(kind, array(event, { maxLength: 20 }), (popupKind, events) => {
      for (const [index, now] of live(popupKind, events).effects.entries()) {
        if (!kinds(now).includes('deleteDraft')) continue;
        const sends = popupKind === 'approval' ? /^(?:allowed|denied)$/ : /^submitted$/;
        expect(events[index]).toMatchObject({
          type: 'answered',
          answer: { kind: expect.stringMatching(sends) },
        });
        expect(now).toContainEqual({ do: 'answer', outcome: expect.anything() });
      }
    }),
    runs,
  );
});

test('whatever happened, the end of the server ends the popup, and news stays or becomes a notification unless it was closed', () => {
  assert(
    property(kind, array(event, { maxLength: 20 }), (popupKind, events) => {
      const before = live(popupKind, events).states.at(-1) ?? newPopup(popupKind);
      const { state, effects } = step(before, { type: 'stopping' });
      expect(state.phase).toBe('over');
      const isNews = popupKind === 'news';
      const waits = ['checking', 'queued', 'opening'].includes(before.phase);
      expect(kinds(effects).includes('leaveWindow')).toBe(isNews && before.phase === 'shown');
      expect(kinds(effects).includes('notifyInstead')).toBe(isNews && waits);
    }),
    runs,
  );
});

test('whatever happens, an item ends once, and a form that is open then is withdrawn unless it gave the answer', () => {
  assert(
    property(kind, boolean(), array(event, { maxLength: 20 }), (popupKind, hasForm, events) => {
      const { states, effects } = live(popupKind, events, hasForm);
      const ends = effects.flatMap((now, index) =>
        now.flatMap((effect) => (effect.do === 'end' ? [{ ...effect, index }] : [])),
      );
      expect(ends.length).toBe(states.at(-1)?.hasEnded === true ? 1 : 0);
      const [end] = ends;
      const forms = kinds(effects.flat()).filter((name) => name.endsWith('Form'));
      const wasOpen = end !== undefined && states[end.index - 1]?.form === 'open';
      const isLeft = end?.via === 'form' || end?.outcome.kind === 'sent';
      const isFailed = events[end?.index ?? -1]?.type === 'formFailed';
      expect(forms.filter((name) => name === 'withdrawForm').length).toBe(
        wasOpen && !isLeft && !isFailed ? 1 : 0,
      );
      expect(forms.filter((name) => name === 'openForm').length).toBeLessThanOrEqual(hasForm ? 1 : 0);
      // The outcome of a question is the answer of its call.
      const answers = effects.flat().filter((effect) => effect.do === 'answer');
      if (popupKind === 'question')
        expect(answers.map(({ outcome }) => outcome)).toStrictEqual(ends.map(({ outcome }) => outcome));
    }),
    runs,
  );
});

test('whatever happens, an approval is allowed only by a yes, and nothing else is', () => {
  assert(
    property(kind, array(event, { maxLength: 20 }), (popupKind, events) => {
      for (const [index, now] of live(popupKind, events).effects.entries()) {
        if (!now.some((effect) => effect.do === 'answer' && effect.outcome.kind === 'allowed')) continue;
        expect(popupKind).toBe('approval');
        expect(events[index]).toMatchObject({ type: 'answered', answer: { kind: 'allowed', scope: 'once' } });
      }
    }),
    runs,
  );
});

test('what is over stays over', () => {
  assert(
    property(kind, event, event, (popupKind, first, second) => {
      const over = step(newPopup(popupKind), { type: 'stopping' }).state;
      const { state, effects } = step(step(over, first).state, second);
      expect(state).toStrictEqual(over);
      // The text of a form that was answered too late is not lost.
      expect(kinds(effects).filter((name) => name !== 'saveDraft')).toStrictEqual([]);
    }),
    runs,
  );
});
