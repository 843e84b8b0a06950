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
import {
  newPopup,
  type PopupEffect,
  type PopupEvent,
  type PopupKind,
  type PopupState,
  step,
} from './popup-state.ts';

const text = constantFrom('', ' ', 'yes');
const plain = constantFrom(
  ...(['turn', 'visible', 'cancelled', 'dismissed', 'later', 'stepped', 'timedOut', 'overdue'] as const),
  ...(['patienceOver', 'replaced', 'stopping'] as const),
);
const event: Arbitrary<PopupEvent> = oneof(
  { weight: 8, arbitrary: plain.map((type) => ({ type })) },
  record({ type: constantFrom('typed' as const, 'submitted' as const), text }),
  record({ type: constantFrom('lost' as const, 'failed' as const), reason: constant('crash') }),
  record({ type: constant('displaced' as const), wasRead: boolean() }),
  record({ type: constant('callerLeft' as const), isDisconnected: boolean() }),
);
const kind = constantFrom<PopupKind>('question', 'news');

interface Life {
  readonly states: readonly PopupState[];
  /** The effects of each event. */
  readonly effects: readonly (readonly PopupEffect[])[];
}

function live(popupKind: PopupKind, events: readonly PopupEvent[]): Life {
  const states: PopupState[] = [];
  const effects: (readonly PopupEffect[])[] = [];
  let state = newPopup(popupKind);
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
        expect(events[index]?.type).toBe('submitted');
        expect(now).toContainEqual({ do: 'answer', outcome: expect.anything() });
      }
    }),
    runs,
  );
});

test('whatever happened, the end of the server ends the popup, and news is handed over unless it was closed', () => {
  assert(
    property(kind, array(event, { maxLength: 20 }), (popupKind, events) => {
      const before = live(popupKind, events).states.at(-1) ?? newPopup(popupKind);
      const { state, effects } = step(before, { type: 'stopping' });
      expect(state.phase).toBe('over');
      const isOpenNews = popupKind === 'news' && before.phase !== 'over' && before.phase !== 'callerGone';
      expect(kinds(effects).includes('handOver')).toBe(isOpenNews);
    }),
    runs,
  );
});

test('what is over stays over', () => {
  assert(
    property(kind, event, event, (popupKind, first, second) => {
      const over = step(newPopup(popupKind), { type: 'stopping' }).state;
      expect(step(step(over, first).state, second)).toStrictEqual({ state: over, effects: [] });
    }),
    runs,
  );
});
