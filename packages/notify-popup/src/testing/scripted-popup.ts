import { memoryDraftStore, type DraftStore } from '../history/drafts.ts';
import { type ConversationHistory, noHistory } from '../history/conversation-log.ts';
import type { Popup } from '../notify-popup.ts';
import { createPopupService } from '../service/popup-service.ts';
import type { Ending, Notice, Obstacle, PopupPresenter, PopupSpec } from '../service/presenter.ts';

/** What the person does with a popup; undefined if the person does nothing. */
export type Person = (spec: PopupSpec) => Ending | undefined;

export interface ScriptedPopup extends Popup {
  /** Popups that opened and closed, in order. */
  readonly seen: readonly string[];
  readonly chimes: readonly string[];
  readonly notices: readonly Notice[];
}

export interface Script {
  readonly person?: Person;
  readonly obstacle?: Obstacle;
  readonly history?: ConversationHistory;
  readonly drafts?: DraftStore;
  /** Default true. */
  readonly usesElicitation?: boolean;
}

/** The whole popup without a screen: a script plays the person. */
export function scriptedPopup(script: Script = {}): ScriptedPopup {
  const { person = () => undefined, obstacle, history = noHistory, drafts = memoryDraftStore() } = script;
  const seen: string[] = [];
  const chimes: string[] = [];
  const notices: Notice[] = [];
  const presenter: PopupPresenter = {
    findObstacle: async () => obstacle,
    present(spec) {
      const { message } = spec.question;
      seen.push(`open ${message}`);
      const ended = Promise.withResolvers<Ending>();
      const ending = person(spec);
      if (ending !== undefined) ended.resolve(ending);
      return {
        shown: Promise.resolve(),
        ended: ended.promise,
        notify: (notice) => void notices.push(notice),
        async close() {
          seen.push(`close ${message}`);
        },
      };
    },
  };
  let released = Promise.resolve();
  const service = createPopupService({
    presenter,
    async acquireLock() {
      const previous = released;
      const { promise, resolve } = Promise.withResolvers<void>();
      released = promise;
      await previous;
      return { onWaitingChange: () => undefined, release: resolve };
    },
    history,
    historyLimit: 5,
    drafts,
    chime: (when) => void chimes.push(when),
  });
  return {
    service,
    seen,
    chimes,
    notices,
    usesElicitation: script.usesElicitation ?? true,
    progressIntervalMs: 5,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
