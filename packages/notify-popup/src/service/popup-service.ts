import type { DraftStore } from '../drafts/draft-store.ts';
import type { History } from '../history/conversation-log.ts';
import type { Turn } from '../turn/turn.ts';
import type { Outcome } from './outcome.ts';
import type { Popup } from './popup-life.ts';
import { startPopup } from './popup-life.ts';
import type { PopupPresenter } from './presenter.ts';
import type { Question } from './question.ts';

/** What a question needs besides a screen. */
export interface PopupParts {
  readonly presenter: PopupPresenter;
  readonly takeTurn: (signal: AbortSignal) => Promise<Turn>;
  readonly history: History;
  readonly historyLimit: number;
  readonly drafts: DraftStore;
  /** Never awaited by an answer. */
  readonly chime: (when: 'start' | 'end') => void;
}

/** Who asks. */
export interface Caller {
  /** One agent's conversation: its later question takes the place of its earlier one. */
  readonly session: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly log: Record<
    'debug' | 'warn',
    (message: string, fields?: Readonly<Record<string, unknown>>) => void
  >;
}

/** Asks the person, one popup at a time. */
export interface PopupService extends AsyncDisposable {
  /** Never rejects for what a person, a client or a browser does. */
  ask(question: Question, caller: Caller): Promise<Outcome>;
}

export function popupService(parts: PopupParts): PopupService {
  const latest = new Map<string, Popup>();
  const open = new Set<Popup>();

  async function forgetWhenGone(popup: Popup, session: string): Promise<void> {
    await popup.gone;
    open.delete(popup);
    if (latest.get(session) === popup) latest.delete(session);
  }

  return {
    async ask(question, caller) {
      const obstacle = await parts.presenter.obstacle();
      if (obstacle?.kind === 'no-display') return obstacle;
      if (obstacle !== undefined) return { kind: 'failed', reason: obstacle.reason };
      if (caller.signal.aborted) return { kind: 'abandoned' };

      latest.get(caller.session)?.stop('superseded');
      const popup = startPopup(question, caller, parts);
      latest.set(caller.session, popup);
      open.add(popup);
      void forgetWhenGone(popup, caller.session);

      const abandon = () => popup.abandon();
      caller.signal.addEventListener('abort', abandon, { once: true });
      if (caller.signal.aborted) abandon();
      const outcome = await popup.outcome;
      caller.signal.removeEventListener('abort', abandon);
      return outcome;
    },

    async [Symbol.asyncDispose]() {
      for (const popup of open) popup.stop('abandoned');
      await Promise.all([...open].map(({ gone }) => gone));
      await parts.presenter[Symbol.asyncDispose]();
    },
  };
}
