import { type InboxCaller, type InboxRequest, noJournal, type PopupOutcome } from '@deskside/desktop';
import { fixedClock } from '@deskside/testkit';
import { memoryDraftStore } from '../history/drafts.ts';
import type { Ending, Visibility } from '../service/presenter.ts';
import { inboxRequest } from './samples.ts';
import { type Script, scriptedPopup } from './scripted-popup.ts';

const DISCONNECTED = 'disconnected';
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined };

type Asking = Partial<InboxRequest> &
  Partial<Pick<InboxCaller, 'session' | 'item' | 'client' | 'form' | 'isInteractive' | 'onEnd'>>;

/** An inbox, with a clock, a screen and a person that a test plays. */
export function openInbox(script: Script = {}) {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const drafts = memoryDraftStore(clock.now);
  const records = new Map<string, string[]>();
  const written: string[] = [];
  const popup = scriptedPopup({
    clock,
    drafts,
    history: {
      recent: async () => [],
      add: async (speaker, text) => void written.push(`${speaker}: ${text}`),
    },
    journal: {
      ...noJournal,
      begin({ content, ...start }) {
        const events: string[] = [];
        records.set(content?.text ?? '', events);
        return {
          ...noJournal.begin(start),
          shown: () => void events.push('shown'),
          seen: () => void events.push('seen'),
          end: (outcome) => void events.push(outcome),
        };
      },
    },
    ...script,
  });
  const window = () => popup.windows[0];

  /** @param asking of no session if it names none */
  function call(message: string, asking: Asking = {}) {
    const { session, item, client, form, isInteractive = false, onEnd = () => {}, ...changes } = asking;
    const stop = new AbortController();
    /** How many popups were ahead when the call was queued. */
    const ahead: number[] = [];
    const outcome = popup.inbox.ask(inboxRequest({ message, ...changes }), {
      session,
      client,
      form,
      isInteractive,
      onEnd,
      signal: stop.signal,
      isDisconnected: () => stop.signal.reason === DISCONNECTED,
      log,
      onQueued: (count) => void ahead.push(count),
      ...(item === undefined ? {} : { item }),
    });
    let now: PopupOutcome['kind'] | 'open' = 'open';
    void outcome.then(({ kind }) => (now = kind));
    return {
      outcome,
      /** The outcome, or 'open'. */
      now: () => now,
      cancel: () => stop.abort(),
      /** The client goes away. */
      disconnect: () => stop.abort(DISCONNECTED),
      ahead,
    };
  }

  return {
    ...popup,
    clock,
    call,
    /** A call of a session of its own, if it names none, after what follows at once. */
    async ask(message: string, asking: Asking = {}) {
      const asked = call(message, { session: message, ...asking });
      await clock.advanceAsync(0);
      return asked;
    },
    window,
    /** The message in the window. */
    shown: () => window()?.spec.question.message,
    /** What the history got. */
    written,
    /** What the journal got of the item with this message. */
    record: (message: string) => records.get(message),
    /** The person sees more or less of the window. */
    async look(visibility: Visibility) {
      window()?.spec.onVisibility?.(visibility);
      await clock.advanceAsync(0);
    },
    /** The person ends the window. */
    async end(ending: Ending = { kind: 'cancelled' }) {
      window()?.end(ending);
      await clock.advanceAsync(0);
    },
  };
}
