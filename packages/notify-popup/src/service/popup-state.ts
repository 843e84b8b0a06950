import type { Answer, Ended, InboxRequest, NoWindow, PopupOutcome, Surface } from '@deskside/desktop';

/**
 * The life of one item of the inbox, as a pure reducer. It does nothing itself: it returns what is to be done. The
 * person can answer on several surfaces. The first answer is the outcome, and ends the item on the others.
 */

/**
 * - `checking`: it is not known yet whether a window can open.
 * - `queued`: it waits for its turn.
 * - `opening`: its window starts.
 * - `shown`: its window is on the screen.
 * - `form`: no window can open; the client shows a form.
 * - `callerGone`: the call has ended, and the window stays because the person has typed text.
 * - `over`: the call is answered and no window is open.
 */
export type Phase = 'checking' | 'queued' | 'opening' | 'shown' | 'form' | 'callerGone' | 'over';

/** The client's form: `none` if it has none, `ready` before it is sent; then how it ended without an answer. */
type Form =
  | 'none'
  | 'ready'
  | 'open'
  | { readonly declined: 'cancelled' | 'dismissed' }
  | { readonly failed: string };

export interface PopupState {
  /** The call of news is answered when it is shown. */
  readonly kind: InboxRequest['kind'];
  readonly phase: Phase;
  readonly form: Form;
  /** Why no window could be opened. */
  readonly obstacle: NoWindow | undefined;
  /** The call has its outcome. */
  readonly isAnswered: boolean;
  /** It needs no surface anymore: a question that is answered, news that is over. */
  readonly hasEnded: boolean;
  /** The box contains text. */
  readonly hasText: boolean;
  /** It was in a window or a form before. */
  readonly wasShown: boolean;
  /** The person could see it there, or used it. */
  readonly isSeen: boolean;
  /** The person does this one last. */
  readonly isAside: boolean;
}

/** What is limited: the wait for a turn, the time on the screen, and a form without a window. */
export type Timer = 'turn' | 'answer' | 'form';

export type PopupEvent =
  /** A window can open. */
  | { readonly type: 'possible' }
  /** The desktop is free for it. */
  | { readonly type: 'turn' }
  /** The window shows the page. */
  | { readonly type: 'visible' }
  /** The person can see the window, or uses it. */
  | { readonly type: 'seen' }
  /** No window can be opened. */
  | { readonly type: 'failed'; readonly obstacle: NoWindow }
  /** The form is sent, whether or not a window is open. */
  | { readonly type: 'formDue' }
  /** The client did not show the form to a person. */
  | { readonly type: 'formFailed'; readonly reason: string }
  | {
      readonly type: 'answered';
      readonly answer: Answer;
      readonly via: Surface;
      /** A form: a person has certainly answered it, and not the client. */
      readonly isByPerson?: boolean;
    }
  | { readonly type: 'typed'; readonly text: string }
  /** News had the time to be read. */
  | { readonly type: 'read' }
  /** The browser crashed or hangs. */
  | { readonly type: 'lost'; readonly reason: string }
  /** The person moves it to the end of the queue. */
  | { readonly type: 'later' }
  /** The person goes to another question. */
  | { readonly type: 'stepped' }
  /** The time for the answer is over. */
  | { readonly type: 'timedOut' }
  /** News has waited so long that its caller gets an answer before the person sees it. */
  | { readonly type: 'patienceOver' }
  /** The call was cancelled, or its client has disconnected: news is then shown anyway. */
  | { readonly type: 'callerLeft'; readonly isDisconnected: boolean }
  /** The same session shows a later popup. */
  | { readonly type: 'replaced' }
  /** A question waits, and this is news or a draft. `wasRead`: it was on the screen long enough. */
  | { readonly type: 'displaced'; readonly wasRead: boolean }
  | { readonly type: 'stopping' };

export type PopupEffect =
  | { readonly do: 'answer'; readonly outcome: PopupOutcome }
  /** The item has ended, on every surface: a question with its answer, news when it needs no surface anymore. */
  | ({ readonly do: 'end' } & Ended)
  | { readonly do: 'openWindow' }
  | { readonly do: 'closeWindow' }
  | { readonly do: 'openForm' }
  | { readonly do: 'withdrawForm' }
  /** Tells the page that no one waits for the answer. */
  | { readonly do: 'showCallerGone' }
  /** It is shown for the first time, or was never shown. */
  | { readonly do: 'recordMessage' }
  | { readonly do: 'recordReply'; readonly text: string }
  | { readonly do: 'saveDraft'; readonly text: string }
  /** After what is in the box. */
  | { readonly do: 'addToDraft'; readonly text: string }
  | { readonly do: 'deleteDraft' }
  | { readonly do: 'moveToEnd' }
  /** A timer replaces the one before. */
  | { readonly do: 'startTimer'; readonly timer: Timer }
  | { readonly do: 'stopTimer' }
  /** The person never saw it. `wasShown`: it was on the screen, but the person was away. */
  | { readonly do: 'listAsMissed'; readonly wasShown: boolean }
  /** The server ends. The window of this news stays by itself. */
  | { readonly do: 'leaveWindow' }
  /** The server ends before the window of this news. */
  | { readonly do: 'notifyInstead' }
  | { readonly do: 'chime'; readonly when: 'start' | 'end' }
  | { readonly do: 'warn'; readonly message: string; readonly reason: string };

type EventOf<Type extends PopupEvent['type']> = Extract<PopupEvent, { readonly type: Type }>;
type Step = readonly [Phase, ...PopupEffect[]];
type Row = { readonly [Type in PopupEvent['type']]?: (state: PopupState, event: EventOf<Type>) => Step };

const answer = (outcome: PopupOutcome): PopupEffect => ({ do: 'answer', outcome });
const ABANDONED = answer({ kind: 'abandoned' });
const TIMEOUT = answer({ kind: 'timeout' });
const over = (...effects: PopupEffect[]): Step => ['over', ...effects];

/** A form that the client may have declined leaves the window open, or its chance. */
function answered(
  { kind, phase, hasText }: PopupState,
  { answer: given, via, isByPerson = false }: EventOf<'answered'>,
): Step {
  if (given.kind !== 'submitted' && via === 'form' && phase !== 'form' && !isByPerson) return [phase];
  if (kind === 'news') return over(answer({ kind: 'displayed' }));
  if (!isAnswerTo(kind, given)) return [phase];
  if (given.kind === 'allowed' || given.kind === 'denied') return over(answer(given), { do: 'deleteDraft' });
  if (given.kind !== 'submitted') return over(answer({ kind: given.kind }));
  const isEmpty = given.text.trim() === '' && (given.images ?? []).length === 0;
  return over(
    answer(isEmpty ? { kind: 'empty' } : given),
    // What was typed in the window is not part of an answer from elsewhere.
    ...(via === 'window' || !hasText ? ([{ do: 'deleteDraft' }] as const) : []),
    ...(given.text.trim() === '' ? [] : ([{ do: 'recordReply', text: given.text }] as const)),
    { do: 'chime', when: 'end' },
  );
}

/** No text is a yes, and no yes is a text. A window that is closed answers neither. */
function isAnswerTo(kind: PopupState['kind'], { kind: given }: Answer): boolean {
  return given === 'dismissed' || (kind === 'approval') === (given === 'allowed' || given === 'denied');
}

/** The form decides, also one that was declined before. */
function withoutWindow({ form }: PopupState, { obstacle }: EventOf<'failed'>): Step {
  if (form === 'ready') return ['form', { do: 'openForm' }];
  if (form === 'open') return ['form'];
  if (form === 'none') return over(answer(obstacle));
  return over(answer('declined' in form ? { kind: form.declined } : withReason(obstacle, form.failed)));
}

function withReason(obstacle: NoWindow, reason: string): NoWindow {
  return obstacle.kind === 'no-display' ? { ...obstacle, tried: [...obstacle.tried, reason] } : obstacle;
}

/** What the person did not see before its end. */
const missed = ({ isSeen }: PopupState, wasShown = false): readonly PopupEffect[] =>
  isSeen ? [] : [{ do: 'listAsMissed', wasShown }];

const outlives = ({ kind }: PopupState, { isDisconnected }: EventOf<'callerLeft'>): boolean =>
  kind === 'news' && isDisconnected;

/** What can happen while a call waits. */
const WAITING: Row = {
  answered,
  formDue: ({ phase, form }) => (form === 'ready' ? [phase, { do: 'openForm' }] : [phase]),
  formFailed: ({ phase }) => [phase],
  timedOut: (state) => over(TIMEOUT, ...missed(state)),
  replaced: (state) => over(answer({ kind: 'superseded' }), ...missed(state)),
  callerLeft: (state, event) => [outlives(state, event) ? state.phase : 'over', ABANDONED],
  // News outlives its server.
  stopping: ({ kind }) => (kind === 'news' ? over(ABANDONED, { do: 'notifyInstead' }) : over(ABANDONED)),
};

/** What can happen before the window is on the screen. */
const UNSEEN: Row = {
  ...WAITING,
  failed: withoutWindow,
};

/** Everything that can happen. An event that a phase does not list changes nothing in it. */
const TABLE: Readonly<Record<Phase, Row>> = {
  checking: { ...UNSEEN, possible: () => ['queued'] },
  queued: {
    ...UNSEEN,
    turn: () => ['opening'],
    patienceOver: ({ kind }) => (kind === 'news' ? ['queued', answer({ kind: 'waits' })] : ['queued']),
  },
  opening: {
    ...UNSEEN,
    typed: (_, { text }) => ['opening', { do: 'saveDraft', text }],
    visible: ({ kind, wasShown }) => [
      'shown',
      ...(wasShown ? [] : ([{ do: 'chime', when: 'start' }] as const)),
      ...(kind === 'news' ? [answer({ kind: 'displayed' })] : []),
    ],
    // Its call must not wait for the question.
    displaced: () => ['queued', answer({ kind: 'waits' })],
    stepped: () => ['queued'],
  },
  shown: {
    ...WAITING,
    seen: () => ['shown'],
    read: () => over(),
    timedOut: (state) => over(TIMEOUT, ...missed(state, true)),
    typed: (_, { text }) => ['shown', { do: 'saveDraft', text }],
    lost: (_, { reason }) =>
      over(answer({ kind: 'dismissed' }), { do: 'warn', message: 'popup window lost', reason }),
    later: () => ['queued', { do: 'moveToEnd' }],
    stepped: () => ['queued'],
    stopping: ({ kind }) => (kind === 'news' ? over({ do: 'leaveWindow' }) : over(ABANDONED)),
    callerLeft: ({ kind, hasText }) =>
      hasText && kind === 'question' ? ['callerGone', ABANDONED, { do: 'showCallerGone' }] : over(ABANDONED),
    displaced: (_, { wasRead }) => (wasRead ? over() : ['queued']),
  },
  form: {
    ...WAITING,
    formFailed: ({ obstacle }, { reason }) => over(answer(withReason(obstacle ?? NO_DISPLAY, reason))),
    patienceOver: ({ kind }) => (kind === 'news' ? over(answer({ kind: 'sent' })) : ['form']),
    timedOut: () => over(TIMEOUT),
    // A person may be answering it: not every client can take a form away.
    replaced: () => ['form'],
    callerLeft: () => over(ABANDONED),
    stopping: () => over(ABANDONED),
  },
  callerGone: {
    typed: (_, { text }) => ['callerGone', { do: 'saveDraft', text }],
    // No caller gets the text: it stays as a draft.
    answered: (_, { via }) => [via === 'window' ? 'over' : 'callerGone'],
    lost: (_, { reason }) => over({ do: 'warn', message: 'popup window lost', reason }),
    later: () => over(),
    stepped: () => over(),
    displaced: () => over(),
    stopping: () => over(),
  },
  over: {
    // From the page of a window that closes. After an answer in that window the page sends no text.
    typed: (_, { text }) => over({ do: 'saveDraft', text }),
    // The client sent the form's answer too late.
    answered: (_, { answer: given, via }) =>
      via === 'form' && given.kind === 'submitted' ? over({ do: 'addToDraft', text: given.text }) : over(),
  },
};

const NO_DISPLAY: NoWindow = { kind: 'no-display', tried: [] };

/** @param hasForm the client can show a form */
export function newPopup(kind: PopupState['kind'], hasForm = false): PopupState {
  return {
    kind,
    phase: 'checking',
    form: hasForm ? 'ready' : 'none',
    obstacle: undefined,
    isAnswered: false,
    hasEnded: false,
    hasText: false,
    wasShown: false,
    isSeen: false,
    isAside: false,
  };
}

/** @returns the next state, and what is to be done, in this order. A call is answered once, and an item ends once. */
export function step(
  state: PopupState,
  event: PopupEvent,
): { readonly state: PopupState; readonly effects: readonly PopupEffect[] } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the row has a function for this type of event
  const rule = TABLE[state.phase][event.type] as ((from: PopupState, cause: PopupEvent) => Step) | undefined;
  if (rule === undefined) return { state, effects: [] };
  const [phase, ...own] = rule(state, event);
  const outcome = own.find((effect) => effect.do === 'answer')?.outcome;
  const isAnswered = state.isAnswered || outcome !== undefined;
  const next: PopupState = {
    kind: state.kind,
    phase,
    form: formAfter(state.form, event, own),
    obstacle: event.type === 'failed' ? event.obstacle : state.obstacle,
    isAnswered,
    hasEnded: state.kind === 'news' ? phase === 'over' : isAnswered,
    hasText: event.type === 'typed' && phase !== 'over' ? event.text.trim() !== '' : state.hasText,
    wasShown: state.wasShown || isShowing(phase, event, own),
    isSeen: state.isSeen || ['seen', 'read'].includes(event.type) || isDecision(event, own),
    isAside: phase !== 'opening' && (state.isAside || own.some((effect) => effect.do === 'moveToEnd')),
  };
  const effects: PopupEffect[] = [...timing(state, next, own)];
  const isMissed = own.some((effect) => effect.do === 'listAsMissed');
  if (!state.wasShown && (next.wasShown || isMissed)) effects.push({ do: 'recordMessage' });
  if (next.hasEnded && !state.hasEnded) {
    const via = event.type === 'answered' ? event.via : undefined;
    // News that was on the screen long enough has done its work.
    const isDone = outcome === undefined || (state.kind === 'news' && outcome.kind === 'timeout');
    effects.push({ do: 'end', outcome: isDone ? { kind: 'displayed' } : outcome, via });
    // News that was sent stays in the client.
    if (next.form === 'open' && via !== 'form' && outcome?.kind !== 'sent')
      effects.push({ do: 'withdrawForm' });
  }
  if (hasWindow(next) && !hasWindow(state)) effects.push({ do: 'openWindow' });
  const isLeft = own.some((effect) => effect.do === 'leaveWindow');
  if (hasWindow(state) && !hasWindow(next) && !isLeft) effects.push({ do: 'closeWindow' });
  effects.push(...own.filter((effect) => effect.do !== 'answer' || !state.isAnswered));
  return { state: next, effects };
}

/** A question keeps its time while it waits again; that of news counts when it is on the screen again. */
function timing(before: PopupState, { kind, phase }: PopupState, own: readonly PopupEffect[]): PopupEffect[] {
  if (own.some((effect) => effect.do === 'openForm')) return [{ do: 'startTimer', timer: 'form' }];
  if (phase === before.phase) return [];
  if (phase === 'shown') return [{ do: 'startTimer', timer: 'answer' }];
  if (phase === 'queued' && before.phase === 'checking') return [{ do: 'startTimer', timer: 'turn' }];
  const isOver = phase === 'over' || phase === 'callerGone' || (phase === 'queued' && kind === 'news');
  return isOver ? [{ do: 'stopTimer' }] : [];
}

const hasWindow = ({ phase }: PopupState): boolean =>
  phase === 'opening' || phase === 'shown' || phase === 'callerGone';

/** The person sees it on some surface. */
function isShowing(phase: Phase, event: PopupEvent, effects: readonly PopupEffect[]): boolean {
  return (
    phase === 'shown' || isDecision(event, effects) || effects.some((effect) => effect.do === 'openForm')
  );
}

function isDecision(event: PopupEvent, effects: readonly PopupEffect[]): boolean {
  return event.type === 'answered' && effects.some((effect) => effect.do === 'answer');
}

function formAfter(form: Form, event: PopupEvent, effects: readonly PopupEffect[]): Form {
  if (effects.some((effect) => effect.do === 'openForm')) return 'open';
  if (form !== 'open') return form;
  if (event.type === 'formFailed') return { failed: event.reason };
  if (event.type !== 'answered' || event.via !== 'form') return form;
  const { kind } = event.answer;
  return kind === 'cancelled' || kind === 'dismissed' ? { declined: kind } : form;
}
