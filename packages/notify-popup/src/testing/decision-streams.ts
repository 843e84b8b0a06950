import {
  array,
  type Arbitrary,
  boolean,
  constant,
  constantFrom,
  integer,
  oneof,
  option,
  record,
} from 'fast-check';
import type { Approval } from '@deskside/desktop';
import type { Ending } from '../service/presenter.ts';
import {
  type Activation,
  ACTIVATIONS,
  type DecisionPlace,
  DOUBLE_CLICK_MS,
  edited,
  keys,
  LETTERS,
  NOTICING_MS,
  pause,
  type Step,
  type TimedKey,
  type Window,
} from './key-streams.ts';

/** Streams of a person who works in a terminal, and of whom an approval wants a decision. */

export const SCOPES = ['session', 'always'] as const;

const MAX_CALLS = 3;

/** What the window shows after further calls of the tool have come. */
export function approvalOf(calls: number): Approval {
  const [first, ...others] = Array.from({ length: calls }, (_, index) => ({
    id: `call ${index + 1}`,
    arguments: [{ name: 'table', value: `orders ${index + 1}` }],
    calls: 1,
  }));
  return { ...first, arguments: first?.arguments ?? [], calls: 1, others, more: SCOPES, isExact: true };
}

const idsOf = (calls: number) => Array.from({ length: calls }, (_, index) => `call ${index + 1}`);

/** A further call joins, also while a button is down. */
export type DecisionStep = (Step<DecisionPlace> & { readonly joins?: boolean }) | { readonly do: 'join' };

const ENDS = ['nothing', 'allow', 'deny', 'session', 'always', 'Enter', 'Escape', 'Tab and Enter'] as const;

type Segment =
  /** A burst of typing for the terminal. The popup takes the keyboard before key number `stolenAt`. */
  | { readonly do: 'type for the terminal'; readonly keys: readonly TimedKey[]; readonly stolenAt: number }
  /** After a pause a key for the terminal, while the person does not know that the popup has the keyboard. */
  | { readonly do: 'late key for the terminal'; readonly key: 'Enter' | ' '; readonly afterMs: number }
  | { readonly do: 'go to'; readonly window: Window }
  /** A press that was meant for what was there before. It begins before the call joins, or soon after. */
  | {
      readonly do: 'press when a call joins';
      readonly place: 'allow' | 'deny';
      readonly afterMs: number | undefined;
    }
  /** A press that gives the popup the keyboard, perhaps the first of two. */
  | {
      readonly do: 'press the popup';
      readonly place: DecisionPlace;
      readonly activation: Activation;
      readonly againAfterMs: number | undefined;
    }
  /** After a look at the popup. Only here something is meant for it. */
  | {
      readonly do: 'decide';
      readonly afterMs: number;
      readonly keys: readonly TimedKey[];
      readonly end: (typeof ENDS)[number];
    };

interface Decision {
  /** Another question waits. */
  readonly isOtherWaiting: boolean;
  readonly segments: readonly Segment[];
}

const segment: Arbitrary<Segment> = oneof(
  {
    weight: 3,
    arbitrary: record({
      do: constant('type for the terminal'),
      keys: keys([...LETTERS, 'Backspace', 'Enter', 'Escape', 'Tab'], 10),
      stolenAt: integer({ min: 0, max: 10 }),
    }),
  },
  {
    weight: 3,
    arbitrary: record({
      do: constant('decide'),
      afterMs: pause,
      keys: keys([...LETTERS, 'Backspace'], 4),
      end: constantFrom('nothing', 'nothing', ...ENDS),
    }),
  },
  {
    weight: 3,
    arbitrary: record({
      do: constant('press the popup'),
      place: constantFrom('allow', 'deny'),
      activation: constantFrom(...ACTIVATIONS),
      againAfterMs: option(integer({ min: 0, max: DOUBLE_CLICK_MS - 1 }), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: record({
      do: constant('press when a call joins'),
      place: constantFrom('allow', 'deny'),
      afterMs: option(integer({ min: 0, max: NOTICING_MS - 1 }), { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: record({
      do: constant('late key for the terminal'),
      key: constantFrom('Enter', ' '),
      afterMs: pause,
    }),
  },
  {
    weight: 1,
    arbitrary: record({ do: constant('go to'), window: constantFrom<Window>('terminal', 'popup') }),
  },
);

export const decisions: Arbitrary<Decision> = record({
  isOtherWaiting: boolean(),
  segments: array(segment, { minLength: 2, maxLength: 8 }),
});

/** The events of a stream, and the only ending that the person meant. */
export function playDecision({ isOtherWaiting, segments }: Decision): {
  readonly steps: readonly DecisionStep[];
  readonly expected: Ending | { readonly kind: 'open' };
} {
  const steps: DecisionStep[] = [];
  let has: Window = 'terminal';
  let isUnnoticed = false;
  let box = '';
  let calls = 1;
  let ending: Ending | undefined;

  const wait = (ms: number) => void steps.push({ do: 'wait', ms });
  const key = (name: string) => void steps.push({ do: 'key', key: name });
  const press = (place: DecisionPlace) => void steps.push({ do: 'press', place });
  const go = (window: Window) => {
    if (has !== window) steps.push({ do: 'focus', window });
    has = window;
    isUnnoticed = false;
  };
  const type = ({ key: name, afterMs }: TimedKey) => {
    wait(afterMs);
    if (has === 'popup') box = edited(box, name);
    key(name);
  };

  for (const each of segments) {
    if (ending !== undefined) break;
    switch (each.do) {
      case 'type for the terminal':
        go('terminal');
        for (const [index, one] of each.keys.entries()) {
          if (index === each.stolenAt) go('popup');
          type(one);
        }
        isUnnoticed = each.stolenAt < each.keys.length;
        break;
      case 'late key for the terminal':
        if (!isUnnoticed) break;
        wait(each.afterMs);
        key(each.key);
        box = edited(box, each.key);
        isUnnoticed = false;
        break;
      case 'go to':
        go(each.window);
        break;
      case 'press when a call joins':
        if (calls === MAX_CALLS) break;
        go('popup');
        wait(NOTICING_MS);
        calls += 1;
        if (each.afterMs === undefined) {
          steps.push({ do: 'press', place: each.place, joins: true });
          break;
        }
        steps.push({ do: 'join' });
        wait(each.afterMs);
        press(each.place);
        break;
      case 'press the popup':
        go('terminal');
        wait(DOUBLE_CLICK_MS);
        steps.push({ do: 'press', place: each.place, activation: each.activation });
        has = 'popup';
        isUnnoticed = false;
        if (each.againAfterMs === undefined) break;
        wait(each.againAfterMs);
        press(each.place);
        break;
      case 'decide':
        go('popup');
        wait(each.afterMs);
        for (const one of each.keys) type(one);
        switch (each.end) {
          case 'nothing':
            break;
          case 'allow':
            press('allow');
            ending = { kind: 'allowed', scope: 'once', ids: idsOf(calls) };
            break;
          case 'deny':
            press('deny');
            ending = { kind: 'denied', text: box, ids: idsOf(calls) };
            break;
          case 'session':
          case 'always':
            press('more');
            wait(NOTICING_MS);
            press(each.end);
            ending = { kind: 'allowed', scope: each.end, ids: idsOf(calls) };
            break;
          case 'Enter':
            if (each.keys.length === 0 || box.trim() === '') break;
            key('Enter');
            ending = { kind: 'denied', text: box, ids: idsOf(calls) };
            break;
          case 'Escape':
            key('Escape');
            if (isOtherWaiting) ending = { kind: 'later' };
            else {
              // It has unfolded for how long.
              wait(NOTICING_MS);
              key('Escape');
            }
            break;
          case 'Tab and Enter':
            // Over every button, Enter on those that allow.
            for (const place of ['Later', 'Not now', 'Deny', 'Allow']) {
              wait(NOTICING_MS);
              key('Tab');
              if (place === 'Allow') key('Enter');
            }
            wait(NOTICING_MS);
            steps.push({ do: 'focus', window: 'terminal' }, { do: 'focus', window: 'popup' });
        }
    }
  }
  return { steps, expected: ending ?? { kind: 'open' } };
}
