import { type InboxCaller, type InboxRequest, noJournal, type PopupOutcome } from '@deskside/desktop';
import { fixedClock } from '@deskside/testkit';
import { memoryDraftStore } from '../history/drafts.ts';
import type { Ending, Visibility } from '../service/presenter.ts';
import { type Script, scriptedPopup, type ScriptedPopup, type ScriptedWindow } from './scripted-popup.ts';

const DISCONNECTED = 'disconnected';
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined };

type Asking = Partial<InboxRequest> & Partial<Pick<InboxCaller, 'session' | 'item' | 'client'>>;

/** One call. */
export interface Call {
  readonly outcome: Promise<PopupOutcome>;
  /** The outcome, or 'open'. */
  readonly now: () => PopupOutcome['kind'] | 'open';
  readonly cancel: () => void;
  /** The client goes away. */
  readonly disconnect: () => void;
  /** How many popups were ahead when the call was queued. */
  readonly ahead: readonly number[];
}

/** An inbox, with a clock, a screen and a person that a test plays. */
export interface InboxWorld extends ScriptedPopup {
  readonly clock: ReturnType<typeof fixedClock>;
  /** @param asking of no session if it names none */
  ask(message: string, asking?: Asking): Call;
  window(): ScriptedWindow | undefined;
  /** The message in the window. */
  shown(): string | undefined;
  /** What the history got. */
  readonly written: readonly string[];
  /** What the journal got of the item with this message. */
  record(message: string): readonly string[] | undefined;
  /** The person sees more or less of the window. */
  look(visibility: Visibility): Promise<void>;
  /** The person ends the window. */
  end(ending?: Ending): Promise<void>;
}

export function openInbox(script: Script = {}): InboxWorld {
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

  function ask(message: string, { session, item, client, ...changes }: Asking = {}): Call {
    const stop = new AbortController();
    const ahead: number[] = [];
    const about = { title: 'VoiceMode', theme: 'auto', showsHistory: false, chimes: false } as const;
    const request = { kind: 'question', message, caller: 'Example host', ...about, ...changes } as const;
    const outcome = popup.inbox.ask(request, {
      session,
      signal: stop.signal,
      isDisconnected: () => stop.signal.reason === DISCONNECTED,
      log,
      onQueued: (count) => void ahead.push(count),
      ...(item === undefined ? {} : { item }),
      ...(client === undefined ? {} : { client }),
    });
    let now: PopupOutcome['kind'] | 'open' = 'open';
    void outcome.then(({ kind }) => (now = kind));
    const disconnect = () => stop.abort(DISCONNECTED);
    return { outcome, now: () => now, cancel: () => stop.abort(), disconnect, ahead };
  }

  return {
    ...popup,
    clock,
    ask,
    window,
    shown: () => window()?.spec.question.message,
    written,
    record: (message) => records.get(message),
    async look(visibility) {
      window()?.spec.onVisibility?.(visibility);
      await clock.advanceAsync(0);
    },
    async end(ending = { kind: 'cancelled' }) {
      window()?.end(ending);
      await clock.advanceAsync(0);
    },
  };
}
