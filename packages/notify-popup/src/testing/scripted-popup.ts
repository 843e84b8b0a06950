import { draftInMemory, type DraftStore } from '../drafts/draft-store.ts';
import { type History, noHistory } from '../history/conversation-log.ts';
import type { Popup } from '../popup.ts';
import { popupService } from '../service/popup-service.ts';
import type { Ending, Notice, Obstacle, PopupPresenter, PopupSpec } from '../service/presenter.ts';

/** What the person of a test does with a popup; nothing at all if it returns undefined. */
export type Person = (spec: PopupSpec) => Ending | undefined;

export interface ScriptedPopup extends Popup {
  /** What happened on the screen, in order. */
  readonly seen: readonly string[];
  readonly chimes: readonly string[];
  readonly notices: readonly Notice[];
}

export interface Script {
  readonly person?: Person;
  readonly obstacle?: Obstacle;
  readonly history?: History;
  readonly drafts?: DraftStore;
  /** Default true. */
  readonly usesElicitation?: boolean;
}

/** The whole of the popup but for its screen, which is a person who acts by a script. */
export function scriptedPopup(script: Script = {}): ScriptedPopup {
  const { person = () => undefined, obstacle, history = noHistory, drafts = draftInMemory() } = script;
  const seen: string[] = [];
  const chimes: string[] = [];
  const notices: Notice[] = [];
  const presenter: PopupPresenter = {
    obstacle: async () => obstacle,
    present(spec) {
      const { message } = spec.question;
      seen.push(`open ${message}`);
      const ended = Promise.withResolvers<Ending>();
      const ending = person(spec);
      if (ending !== undefined) ended.resolve(ending);
      return {
        shown: Promise.resolve(),
        ended: ended.promise,
        tell: (notice) => void notices.push(notice),
        async close() {
          seen.push(`close ${message}`);
        },
      };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  let turn = Promise.resolve();
  const service = popupService({
    presenter,
    async takeTurn() {
      const before = turn;
      const { promise, resolve } = Promise.withResolvers<void>();
      turn = promise;
      await before;
      return { onWaiting: () => undefined, release: resolve };
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
    progressInterval: 5,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
