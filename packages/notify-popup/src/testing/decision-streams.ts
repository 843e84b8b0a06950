import { array, boolean, constant, constantFrom, integer, oneof, option, record } from 'fast-check';
import type { Approval } from '@deskside/desktop';
import type { Ending } from '../service/presenter.ts';
import {
  type DecisionPlace,
  DOUBLE_CLICK_MS,
  edited,
  goingTo,
  keys,
  lateKey,
  LETTERS,
  NOTICING_MS,
  pause,
  pressing,
  type Step,
  type TimedKey,
  typing,
  type ValueOf,
  type Window,
} from './key-streams.ts';

/** Streams of a person who works in a terminal, and of whom an approval wants a decision. */

const SCOPES = ['session', 'always'] as const;

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

/** A press that was meant for what was there before. It begins before the call joins, or soon after. */
const pressingAtJoin = record({
  do: constant('press when a call joins'),
  place: constantFrom('allow', 'deny'),
  afterMs: option(integer({ min: 0, max: NOTICING_MS - 1 }), { nil: undefined }),
});

/** After a look at the popup. Only here something is meant for it. */
const deciding = record({
  do: constant('decide'),
  afterMs: pause,
  keys: keys([...LETTERS, 'Backspace'], 4),
  end: constantFrom('nothing', 'nothing', ...ENDS),
});

export const decisions = record({
  /** Another question waits. */
  isOtherWaiting: boolean(),
  segments: array(
    oneof(
      { weight: 3, arbitrary: typing },
      { weight: 3, arbitrary: deciding },
      { weight: 3, arbitrary: pressing('allow', 'deny') },
      { weight: 2, arbitrary: pressingAtJoin },
      { weight: 1, arbitrary: lateKey('Enter', ' ') },
      { weight: 1, arbitrary: goingTo },
    ),
    { minLength: 2, maxLength: 8 },
  ),
});

/** The events of a stream, and the only ending that the person meant. */
export function playDecision({ isOtherWaiting, segments }: ValueOf<typeof decisions>): {
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
