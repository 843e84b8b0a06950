import { randomUUID } from 'node:crypto';
import type { DesktopLock } from '../desktop/lock.ts';
import type { ConversationHistory } from '../history/conversation-log.ts';
import type { DraftStore } from '../history/drafts.ts';
import {
  CannotPresent,
  type Ending,
  type PopupPresenter,
  type PresentedPopup,
  type Question,
} from './presenter.ts';

/** Asks the person, one popup at a time. */
export interface PopupService extends AsyncDisposable {
  /** Resolves with an outcome for everything that the person, the client or the browser does; never rejects. */
  ask(question: Question, caller: Caller): Promise<PopupOutcome>;
}

export interface Caller {
  /**
   * The conversation of one agent. A later question of a session replaces its earlier one. Undefined if it is not
   * known: then the question replaces none, and none replaces it.
   */
  readonly session: string | undefined;
  /** Aborted when the caller stops waiting for the answer. */
  readonly signal: AbortSignal;
  readonly log: Record<
    'debug' | 'warn',
    (message: string, fields?: Readonly<Record<string, unknown>>) => void
  >;
}

/** How a question ended, for the caller. */
export type PopupOutcome =
  | { readonly kind: 'submitted'; readonly text: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'dismissed' }
  | { readonly kind: 'timeout' }
  /** A later question of the same session replaced it. */
  | { readonly kind: 'superseded' }
  /** A message without an answer is on the screen. */
  | { readonly kind: 'displayed' }
  /** The caller stopped waiting, or the server is closing. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'no-display' }
  | { readonly kind: 'failed'; readonly reason: string };

export interface PopupDependencies {
  readonly presenter: PopupPresenter;
  readonly acquireLock: (signal: AbortSignal) => Promise<DesktopLock>;
  readonly history: ConversationHistory;
  /** Exchanges per popup. */
  readonly historyLimit: number;
  readonly drafts: DraftStore;
  /** Plays a sound. No answer waits for it. */
  readonly chime: (when: 'start' | 'end') => void;
}

export function createPopupService(dependencies: PopupDependencies): PopupService {
  const latestBySession = new Map<string, ActivePopup>();
  const active = new Set<ActivePopup>();

  async function removeWhenClosed(popup: ActivePopup, session: string | undefined): Promise<void> {
    await popup.closed;
    active.delete(popup);
    if (session !== undefined && latestBySession.get(session) === popup) latestBySession.delete(session);
  }

  return {
    async ask(question, caller) {
      const obstacle = await dependencies.presenter.findObstacle();
      if (obstacle?.kind === 'no-display') return obstacle;
      if (obstacle !== undefined) return { kind: 'failed', reason: obstacle.reason };
      if (caller.signal.aborted) return { kind: 'abandoned' };

      const { session } = caller;
      if (session !== undefined) latestBySession.get(session)?.stop('superseded');
      const popup = startPopup(question, caller, dependencies);
      if (session !== undefined) latestBySession.set(session, popup);
      active.add(popup);
      void removeWhenClosed(popup, session);

      const abandon = () => popup.abandon();
      caller.signal.addEventListener('abort', abandon, { once: true });
      if (caller.signal.aborted) abandon();
      const outcome = await popup.outcome;
      caller.signal.removeEventListener('abort', abandon);
      return outcome;
    },

    async [Symbol.asyncDispose]() {
      for (const popup of active) popup.stop('abandoned');
      await Promise.all([...active].map(({ closed }) => closed));
    },
  };
}

/** Why the server ends a popup; the outcome of the question at the same time. */
type StopReason = 'superseded' | 'abandoned' | 'timeout';

/** One question, from the call to the end of its window. */
interface ActivePopup {
  /** The first thing that happened. The window may stay open after it. */
  readonly outcome: Promise<PopupOutcome>;
  /** Resolves when the window is closed and the lock is released. Never rejects. */
  readonly closed: Promise<void>;
  stop(reason: StopReason): void;
  /** The caller is gone: closes the window, unless the person has typed text. */
  abandon(): void;
}

function startPopup(question: Question, caller: Caller, dependencies: PopupDependencies): ActivePopup {
  const { presenter, history, drafts, chime } = dependencies;
  const id = randomUUID();
  const outcome = Promise.withResolvers<PopupOutcome>();
  const stopping = new AbortController();
  const stopped = new Promise<'stopped'>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
  let presented: PresentedPopup | undefined;
  let typedText = '';
  let callerGone = false;
  const pendingWrites: Promise<void>[] = [];

  function stop(reason: StopReason): void {
    outcome.resolve({ kind: reason });
    stopping.abort();
  }

  function abandon(): void {
    if (presented === undefined || typedText.trim() === '') return stop('abandoned');
    callerGone = true;
    caller.log.debug('caller gone, popup stays open');
    outcome.resolve({ kind: 'abandoned' });
    presented.notify({ kind: 'callerGone' });
  }

  async function run(): Promise<void> {
    const lock = await dependencies.acquireLock(stopping.signal);
    try {
      const unsent = question.waitsForResponse ? await drafts.list() : [];
      const exchanges = question.showsHistory ? await history.recent(dependencies.historyLimit) : [];
      if (stopping.signal.aborted) return;
      presented = presenter.present({
        question,
        history: exchanges,
        drafts: unsent,
        missed: [],
        onDraft(text) {
          typedText = text;
          caller.log.debug('draft changed');
          const { message, caller: label } = question;
          runOptional(
            'draft not saved',
            drafts.save({ id, text, question: firstLineOf(message), caller: label }),
          );
        },
        onDeleteDraft: (draft) => runOptional('draft not deleted', drafts.delete(draft)),
        onActivity: () => undefined,
        onKeysAccepted: () => caller.log.debug('popup accepts keys'),
      });
      lock.onWaitingChange((count) => {
        const unknown = {
          caller: 'another popup',
          since: question.askedAt.toISOString(),
          firstLine: '',
          here: false,
        };
        const waiting = Array.from({ length: count }, (_, index) => ({ id: String(index), ...unknown }));
        presented?.notify({ kind: 'waiting', waiting });
      });
      await show(presented);
    } finally {
      await presented?.close();
      await Promise.all(pendingWrites);
      lock.release();
    }
  }

  async function show(popup: PresentedPopup): Promise<void> {
    if ((await Promise.race([popup.shown, stopped])) === 'stopped') return;
    runOptional('history not written', history.addMessage(question.message));
    caller.log.debug('popup shown');
    if (question.chimes) chime('start');
    if (!question.waitsForResponse) outcome.resolve({ kind: 'displayed' });
    const { timeout } = question;
    const timer =
      timeout === undefined ? undefined : setTimeout(() => callerGone || stop('timeout'), timeout * 1000);
    const ending = await Promise.race([popup.ended, stopped]);
    clearTimeout(timer);
    if (ending !== 'stopped') finish(ending);
  }

  function finish(ending: Ending): void {
    outcome.resolve(outcomeOf(ending));
    if (ending.kind === 'lost') caller.log.warn('popup window lost', { reason: ending.reason });
    // The draft stays if no caller got the text or a crash took the window. It goes if the text was sent or discarded.
    if (callerGone || ending.kind === 'lost' || !question.waitsForResponse) return;
    runOptional('draft not deleted', drafts.delete(id));
    if (ending.kind !== 'submitted') return;
    if (ending.text.trim() !== '') runOptional('history not written', history.addReply(ending.text));
    if (question.chimes) chime('end');
  }

  /** A failure is logged and changes nothing else. */
  function runOptional(failureMessage: string, work: Promise<void>): void {
    pendingWrites.push(work.catch((error: unknown) => caller.log.warn(failureMessage, { error })));
  }

  const closed = run().catch((error: unknown) => {
    const reason = error instanceof CannotPresent ? error.message : 'the popup failed, see the log';
    if (!stopping.signal.aborted) caller.log.warn('popup not shown', { error });
    outcome.resolve({ kind: 'failed', reason });
  });
  return { outcome: outcome.promise, closed, stop, abandon };
}

function firstLineOf(message: string): string {
  return message.trim().split('\n', 1)[0] ?? '';
}

function outcomeOf(ending: Ending): PopupOutcome {
  if (ending.kind === 'later' || ending.kind === 'show') return { kind: 'dismissed' };
  if (ending.kind === 'submitted' && ending.text.trim() === '') return { kind: 'empty' };
  return ending.kind === 'lost' ? { kind: 'dismissed' } : ending;
}
