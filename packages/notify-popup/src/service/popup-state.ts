/**
 * The life of one popup, as a pure reducer. It does nothing itself: it returns what is to be done.
 * See docs/decisions/0035.
 */

/**
 * - `queued`: it waits for its turn.
 * - `opening`: its window starts.
 * - `shown`: the person sees it.
 * - `callerGone`: the call has ended, and the window stays because the person has typed text.
 * - `over`: the call is answered and no window is open.
 */
export type Phase = 'queued' | 'opening' | 'shown' | 'callerGone' | 'over';

/** A question waits for an answer. News needs none: its call is answered when it is shown. */
export type PopupKind = 'question' | 'news';

export interface PopupState {
  readonly kind: PopupKind;
  readonly phase: Phase;
  /** The call has its outcome. */
  readonly isAnswered: boolean;
  /** The box contains text. */
  readonly hasText: boolean;
  /** It was on the screen before. */
  readonly wasShown: boolean;
}

export type PopupEvent =
  /** The desktop is free for it. */
  | { readonly type: 'turn' }
  /** The window shows the page. */
  | { readonly type: 'visible' }
  /** No window could be opened. */
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'submitted'; readonly text: string }
  | { readonly type: 'cancelled' }
  | { readonly type: 'dismissed' }
  /** The browser crashed or hangs. */
  | { readonly type: 'lost'; readonly reason: string }
  /** The person moves it to the end of the queue. */
  | { readonly type: 'later' }
  /** The person goes to another question. */
  | { readonly type: 'stepped' }
  /** The time for the answer is over. */
  | { readonly type: 'timedOut' }
  /** Too little time is left to show it. */
  | { readonly type: 'overdue' }
  /** News has waited so long that its caller gets an answer before it is shown. */
  | { readonly type: 'patienceOver' }
  /** The call was cancelled, or its client has disconnected: news is then shown anyway. */
  | { readonly type: 'callerLeft'; readonly isDisconnected: boolean }
  /** The same session shows a later popup. */
  | { readonly type: 'replaced' }
  /** A question waits. `wasRead`: the popup was on the screen long enough. */
  | { readonly type: 'displaced'; readonly wasRead: boolean }
  | { readonly type: 'stopping' };

/** How a call ended. */
export type PopupOutcome =
  | { readonly kind: 'submitted'; readonly text: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'dismissed' }
  | { readonly kind: 'timeout' }
  /** A later popup of the same session replaced it. */
  | { readonly kind: 'superseded' }
  /** News is on the screen. */
  | { readonly kind: 'displayed' }
  /** News waits for a question of another session; it is shown after it. */
  | { readonly kind: 'waits' }
  /** The caller stopped waiting, or the server is closing. */
  | { readonly kind: 'abandoned' }
  /** `tried` says which displays were looked for. */
  | { readonly kind: 'no-display'; readonly tried: readonly string[] }
  | { readonly kind: 'failed'; readonly reason: string };

export type PopupEffect =
  | { readonly do: 'answer'; readonly outcome: PopupOutcome }
  | { readonly do: 'openWindow' }
  | { readonly do: 'closeWindow' }
  /** Tells the page that no one waits for the answer. */
  | { readonly do: 'showCallerGone' }
  /** The popup is on the screen for the first time. */
  | { readonly do: 'recordMessage' }
  | { readonly do: 'recordReply'; readonly text: string }
  | { readonly do: 'saveDraft'; readonly text: string }
  | { readonly do: 'deleteDraft' }
  | { readonly do: 'moveToEnd' }
  /** The person never saw this question. */
  | { readonly do: 'listAsMissed' }
  /** Another process shows this news after the server has ended. */
  | { readonly do: 'handOver' }
  | { readonly do: 'chime'; readonly when: 'start' | 'end' }
  | { readonly do: 'warn'; readonly message: string; readonly reason: string };

type EventOf<Type extends PopupEvent['type']> = Extract<PopupEvent, { readonly type: Type }>;
type Step = readonly [Phase, ...PopupEffect[]];
type Row = { readonly [Type in PopupEvent['type']]?: (state: PopupState, event: EventOf<Type>) => Step };

const OPEN: PopupEffect = { do: 'openWindow' };
const CLOSE: PopupEffect = { do: 'closeWindow' };
const MISSED: PopupEffect = { do: 'listAsMissed' };
const answer = (kind: Exclude<PopupOutcome['kind'], 'submitted' | 'no-display' | 'failed'>): PopupEffect => ({
  do: 'answer',
  outcome: { kind },
});
const ABANDONED = answer('abandoned');
const closed = (...effects: PopupEffect[]): Step => ['over', CLOSE, ...effects];

/** News outlives its server. */
const stopping = ({ kind }: PopupState): PopupEffect[] =>
  kind === 'news' ? [ABANDONED, { do: 'handOver' }] : [ABANDONED];

const outlives = ({ kind }: PopupState, { isDisconnected }: EventOf<'callerLeft'>): boolean =>
  kind === 'news' && isDisconnected;

/** Everything that can happen. An event that a phase does not list changes nothing in it. */
const TABLE: Readonly<Record<Phase, Row>> = {
  queued: {
    turn: () => ['opening', OPEN],
    failed: (_, { reason }) => ['over', { do: 'answer', outcome: { kind: 'failed', reason } }],
    timedOut: () => ['over', answer('timeout')],
    overdue: () => ['over', answer('timeout'), MISSED],
    patienceOver: ({ kind }) => (kind === 'news' ? ['queued', answer('waits')] : ['queued']),
    callerLeft: (state, event) => [outlives(state, event) ? 'queued' : 'over', ABANDONED],
    replaced: () => ['over', answer('superseded')],
    stopping: (state) => ['over', ...stopping(state)],
  },
  opening: {
    typed: (_, { text }) => ['opening', { do: 'saveDraft', text }],
    visible: ({ kind, wasShown }) => [
      'shown',
      ...(wasShown ? [] : ([{ do: 'recordMessage' }, { do: 'chime', when: 'start' }] as const)),
      ...(kind === 'news' ? [answer('displayed')] : []),
    ],
    failed: (_, { reason }) => closed({ do: 'answer', outcome: { kind: 'failed', reason } }),
    timedOut: () => closed(answer('timeout')),
    overdue: () => closed(answer('timeout'), MISSED),
    callerLeft: (state, event) => (outlives(state, event) ? ['opening', ABANDONED] : closed(ABANDONED)),
    replaced: () => closed(answer('superseded')),
    displaced: ({ kind }) => (kind === 'news' ? ['queued', CLOSE] : ['opening']),
    stopping: (state) => closed(...stopping(state)),
  },
  shown: {
    typed: (_, { text }) => ['shown', { do: 'saveDraft', text }],
    submitted: ({ kind }, { text }) => {
      if (kind === 'news') return closed();
      if (text.trim() === '')
        return closed(answer('empty'), { do: 'deleteDraft' }, { do: 'chime', when: 'end' });
      const effects: readonly PopupEffect[] = [
        { do: 'answer', outcome: { kind: 'submitted', text } },
        { do: 'deleteDraft' },
        { do: 'recordReply', text },
        { do: 'chime', when: 'end' },
      ];
      return closed(...effects);
    },
    cancelled: () => closed(answer('cancelled')),
    dismissed: () => closed(answer('dismissed')),
    lost: (_, { reason }) =>
      closed(answer('dismissed'), { do: 'warn', message: 'popup window lost', reason }),
    later: () => ['queued', CLOSE, { do: 'moveToEnd' }],
    stepped: () => ['queued', CLOSE],
    timedOut: () => closed(answer('timeout')),
    callerLeft: ({ hasText }) =>
      hasText ? ['callerGone', ABANDONED, { do: 'showCallerGone' }] : closed(ABANDONED),
    replaced: () => closed(answer('superseded')),
    displaced({ kind }, { wasRead }) {
      if (kind === 'question') return ['shown'];
      return wasRead ? closed() : ['queued', CLOSE];
    },
    stopping: (state) => closed(...stopping(state)),
  },
  callerGone: {
    typed: (_, { text }) => ['callerGone', { do: 'saveDraft', text }],
    // No caller gets the text: it stays as a draft.
    submitted: () => closed(),
    cancelled: () => closed(),
    dismissed: () => closed(),
    lost: (_, { reason }) => closed({ do: 'warn', message: 'popup window lost', reason }),
    later: () => closed(),
    stepped: () => closed(),
    displaced: () => closed(),
    stopping: () => closed(),
  },
  over: {},
};

export function newPopup(kind: PopupKind): PopupState {
  return { kind, phase: 'queued', isAnswered: false, hasText: false, wasShown: false };
}

/** @returns the next state, and what is to be done, in this order. A call is answered once. */
export function step(
  state: PopupState,
  event: PopupEvent,
): { readonly state: PopupState; readonly effects: readonly PopupEffect[] } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the row has a function for this type of event
  const rule = TABLE[state.phase][event.type] as ((from: PopupState, cause: PopupEvent) => Step) | undefined;
  if (rule === undefined) return { state, effects: [] };
  const [phase, ...all] = rule(state, event);
  const effects = state.isAnswered ? all.filter((effect) => effect.do !== 'answer') : all;
  return {
    state: {
      kind: state.kind,
      phase,
      isAnswered: state.isAnswered || effects.some((effect) => effect.do === 'answer'),
      hasText: event.type === 'typed' ? event.text.trim() !== '' : state.hasText,
      wasShown: state.wasShown || phase === 'shown',
    },
    effects,
  };
}
