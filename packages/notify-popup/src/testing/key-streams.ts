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
import type { Ending } from '../service/presenter.ts';

/** After a pause of this length the person has seen the popup. Within a burst of typing pauses are shorter. */
export const NOTICING_MS = 600;
/** The second press of a double click comes earlier. */
export const DOUBLE_CLICK_MS = 300;
const UNDO_MS = 3000;

const PLACES = ['send', 'cancel', 'later', 'box', 'message', 'reply 1', 'reply 2'] as const;
type Place = (typeof PLACES)[number];
/** `quiet` is the first of the choices that Later unfolds if no other question waits. */
export type AnyPlace = Place | 'undo' | 'quiet';
/** Of an approval. */
export type DecisionPlace = 'allow' | 'deny' | 'more' | 'session' | 'always';
export type Window = 'terminal' | 'popup';
/** When a press gives the keyboard: before its button goes down, before it goes up, or after. */
const ACTIVATIONS = ['before', 'between', 'after'] as const;
type Activation = (typeof ACTIVATIONS)[number];

export interface TimedKey {
  readonly key: string;
  /** Since the event before. */
  readonly afterMs: number;
}

export const LETTERS = ['a', 'y', 'n', '1', '2', '3', '9', ' '];
export const pause = integer({ min: NOTICING_MS, max: 5000 });
export const keys = (names: readonly string[], maxLength: number, minLength = 0) =>
  array(record({ key: constantFrom(...names), afterMs: integer({ min: 1, max: NOTICING_MS - 1 }) }), {
    minLength,
    maxLength,
  });

// What a person does with a terminal and a popup. Each segment says for which of the two it is meant.

/** A burst of typing for the terminal. The popup takes the keyboard before key number `stolenAt`. */
export const typing = record({
  do: constant('type for the terminal'),
  keys: keys([...LETTERS, 'Backspace', 'Enter', 'Escape', 'Tab'], 10),
  stolenAt: integer({ min: 0, max: 10 }),
});

/** After a pause a key for the terminal, while the person does not know that the popup has the keyboard. */
export const lateKey = <Key extends string>(...names: Key[]) =>
  record({ do: constant('late key for the terminal'), key: constantFrom(...names), afterMs: pause });

export const goingTo = record({
  do: constant('go to'),
  window: constantFrom<Window>('terminal', 'popup'),
});

/** A press that gives the popup the keyboard, perhaps the first of two. */
export const pressing = <Where extends string>(...places: readonly Where[]) =>
  record({
    do: constant('press the popup'),
    place: constantFrom(...places),
    activation: constantFrom(...ACTIVATIONS),
    againAfterMs: option(integer({ min: 0, max: DOUBLE_CLICK_MS - 1 }), { nil: undefined }),
  });

/** An answer, after a look at the popup. */
const answer = record({
  do: constant('answer'),
  afterMs: pause,
  keys: oneof(
    { weight: 3, arbitrary: keys([...LETTERS, 'Backspace'], 6) },
    { weight: 1, arbitrary: keys(['1', '2', '3'], 1, 1) },
  ),
  end: constantFrom('nothing', 'nothing', 'Enter', 'Enter', 'Escape', 'Escape', 'Escape', ...PLACES),
  /** After Cancel or Escape: keys that may be meant for the terminal. */
  afterwards: keys([...LETTERS, 'Enter'], 3),
  /** Takes back Cancel, Escape, or the choices that Later unfolds. */
  undo: constantFrom(true, true, false),
});

export const streams = record({
  /** Quick replies. */
  options: constantFrom<readonly string[]>([], ['Red', 'Blue']),
  /** Another question waits. */
  isOtherWaiting: boolean(),
  /** The person types in another window when the popup opens. */
  isTyping: boolean(),
  segments: array(
    oneof(
      { weight: 3, arbitrary: typing },
      { weight: 3, arbitrary: answer },
      { weight: 2, arbitrary: pressing(...PLACES) },
      { weight: 1, arbitrary: lateKey('Enter', 'Escape') },
      { weight: 1, arbitrary: goingTo },
    ),
    { minLength: 2, maxLength: 8 },
  ),
});

export type ValueOf<Values> = Values extends Arbitrary<infer Value> ? Value : never;

/** One event of the machine. Keys go to the window that has the keyboard, which is the terminal at first. */
export type Step<Where = AnyPlace> =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'focus'; readonly window: Window }
  | { readonly do: 'key'; readonly key: string }
  | { readonly do: 'press'; readonly place: Where; readonly activation?: Activation };

export interface Expected {
  readonly ending: Ending | { readonly kind: 'open' };
  /** What is in the box, or was saved from it; undefined if it was sent. */
  readonly typed: string | undefined;
}

/** What a key makes of a text. */
export function edited(text: string, key: string): string {
  if (key === 'Backspace') return text.slice(0, -1);
  return key.length === 1 ? text + key : text;
}

/** The events of a stream, and what must come of them: decided from the intentions alone, not from the page. */
export function play({ options, isOtherWaiting, isTyping, segments }: ValueOf<typeof streams>): {
  readonly steps: readonly Step[];
  readonly expected: Expected;
} {
  const steps: Step[] = [];
  let has: Window = 'terminal';
  /** The popup took the keyboard, and the person does not know it yet. */
  let isUnnoticed = false;
  let focused: 'box' | 'message' = 'box';
  let box = '';
  let ending: Ending | undefined;
  /** What the box shows selected: it came in without a pause after the popup had opened. */
  let stray = '';
  let nowMs = 0;
  /** While this is ahead, what comes in is not meant for the popup. */
  let strayUntilMs = isTyping ? NOTICING_MS : 0;
  const isStray = () => nowMs < strayUntilMs;

  const wait = (ms: number) => {
    steps.push({ do: 'wait', ms });
    nowMs += ms;
  };
  const go = (window: Window) => {
    if (has === window) return;
    steps.push({ do: 'focus', window });
    // At its very end it begins again, too.
    if (window === 'popup' && strayUntilMs > 0 && nowMs <= strayUntilMs) strayUntilMs = nowMs + NOTICING_MS;
    has = window;
    focused = 'box';
    isUnnoticed = false;
  };
  const type = ({ key, afterMs }: TimedKey) => {
    wait(afterMs);
    if (has === 'popup') {
      if (focused === 'box' || (key.length === 1 && key !== ' ')) {
        if (key.length === 1) focused = 'box';
        if (isStray()) stray = edited(stray, key);
        else if (stray === '') box = edited(box, key);
        else if (key.length === 1 || key === 'Backspace') [box, stray] = [edited('', key), ''];
      }
      if (isStray()) strayUntilMs = nowMs + NOTICING_MS;
    }
    steps.push({ do: 'key', key });
  };
  /** @param isSecond of a double click, whose first press gave the keyboard: it says as little of what the person sees */
  const press = (place: AnyPlace, activation?: Activation, isSecond = false) => {
    steps.push({ do: 'press', place, ...(activation && { activation }) });
    // The window gives the keyboard that it gets to the box.
    if (place === 'message') focused = activation === 'between' || activation === 'after' ? 'box' : 'message';
    else if (place === 'box' || place === 'undo') focused = 'box';
    if (place === 'box') stray = '';
    const isDeliberate = nowMs >= NOTICING_MS && activation === undefined && !isSecond;
    if (place === 'box' || isDeliberate) strayUntilMs = 0;
    else if (isStray() && activation !== undefined) strayUntilMs = nowMs + NOTICING_MS;
  };
  const marked = () => options[Number(/^[1-9]$/.exec(box)?.[0]) - 1];
  const exists = (place: string) => !place.startsWith('reply') || options.length > 0;
  const cancel = (afterwards: readonly TimedKey[], undo: boolean) => {
    for (const key of afterwards) type(key);
    if (undo) return press('undo');
    wait(UNDO_MS);
    ending = { kind: 'cancelled' };
  };

  const later = (undo: boolean): Ending | undefined => {
    if (isOtherWaiting) return { kind: 'later' };
    wait(NOTICING_MS);
    if (undo) {
      steps.push({ do: 'key', key: 'Escape' });
      return undefined;
    }
    press('quiet');
    return { kind: 'quiet', period: '15m', isForAll: false };
  };

  for (const each of segments) {
    if (ending !== undefined) break;
    switch (each.do) {
      case 'type for the terminal':
        go('terminal');
        for (const [index, key] of each.keys.entries()) {
          if (index === each.stolenAt) go('popup');
          type(key);
        }
        isUnnoticed = each.stolenAt < each.keys.length;
        break;
      case 'late key for the terminal':
        if (!isUnnoticed) break;
        wait(each.afterMs);
        steps.push({ do: 'key', key: each.key });
        isUnnoticed = false;
        if (each.key === 'Escape') cancel([], true);
        break;
      case 'go to':
        go(each.window);
        break;
      case 'press the popup':
        if (!exists(each.place)) break;
        go('terminal');
        wait(DOUBLE_CLICK_MS);
        press(each.place, each.activation);
        has = 'popup';
        isUnnoticed = false;
        if (each.againAfterMs === undefined) break;
        wait(each.againAfterMs);
        press(each.place, undefined, true);
        break;
      case 'answer': {
        go('popup');
        isUnnoticed = false;
        wait(each.afterMs);
        for (const key of each.keys) type(key);
        const { end } = each;
        const canReply = box === '' || marked() !== undefined || options.includes(box);
        if (end === 'nothing' || !exists(end)) break;
        if (end === 'Enter') {
          // An empty answer needs two keys, and one without a key before it, too: other tests.
          if (each.keys.length === 0 || box === '' || focused !== 'box') break;
          steps.push({ do: 'key', key: 'Enter' });
          ending = { kind: 'submitted', text: marked() ?? box };
        } else if (end === 'Escape') {
          steps.push({ do: 'key', key: 'Escape' });
          cancel(each.afterwards, each.undo);
        } else {
          press(end);
          if (end === 'send') ending = { kind: 'submitted', text: marked() ?? box };
          else if (end === 'later') ending = later(each.undo);
          else if (end === 'cancel') cancel(each.afterwards, each.undo);
          else if (end.startsWith('reply') && canReply)
            ending = { kind: 'submitted', text: options[Number(end.at(-1)) - 1] ?? '' };
        }
      }
    }
  }
  // A cancellation that was not taken back would end it.
  if (ending === undefined) wait(UNDO_MS);
  // What is only selected is not saved.
  const typed = ending === undefined ? box + stray : ending.kind === 'submitted' ? undefined : box;
  return { steps, expected: { ending: ending ?? { kind: 'open' }, typed } };
}
