import { type DeskItem, inOrder } from '../desktop/desk.ts';
import { noHistory } from '../history/history.ts';
import { memoryDraftStore } from '../history/drafts.ts';
import type { PutOffQuestion } from '../desktop/notification.ts';
import { memoryJournal, noJournal, type NoWindow, Quiet, type Theme } from '@deskside/desktop';
import { systemClock } from '@deskside/core/base';
import { createInbox, type InboxDependencies } from '../service/inbox.ts';
import type { Ending, Notice, PopupPresenter, PopupSpec } from '../service/presenter.ts';

/** What the person does with a popup; undefined if the person does nothing. */
export type Person = (spec: PopupSpec) => Ending | undefined;

/** A window that is open now. */
export interface ScriptedWindow {
  readonly spec: PopupSpec;
  readonly isShown: boolean;
  end(ending: Ending): void;
}

export interface Script extends Partial<
  Pick<InboxDependencies, 'history' | 'historyLimit' | 'drafts' | 'clock' | 'journal' | 'quiet' | 'sound'>
> {
  readonly person?: Person;
  readonly obstacle?: NoWindow | (() => NoWindow | undefined);
  /** Default: the platform does not tell. */
  readonly idleMs?: PopupPresenter['idleMs'];
  /** Default: an answered question leaves no window. */
  readonly closeKept?: PopupPresenter['closeKept'];
  /** Resolves when a window is on the screen, or rejects. Default: at once. */
  readonly opens?: () => Promise<void>;
  /** False if the test says what the person sees. Default: each window is visible when it is open. */
  readonly isVisible?: boolean;
  /** Default true. */
  readonly usesElicitation?: boolean;
  /** Default false. */
  readonly plain?: boolean;
  /** Default `auto`. */
  readonly theme?: Theme;
}

/** The whole popup without a screen: a script plays the person. */
function newPopup(script: Script = {}) {
  const { person = () => undefined, obstacle, history = noHistory, drafts = memoryDraftStore() } = script;
  const { opens = async () => undefined, clock = systemClock } = script;
  const seen: string[] = [];
  const chimes: string[] = [];
  const notices: Notice[] = [];
  const notified: string[] = [];
  const putOff = new Set<PutOffQuestion>();
  const left: string[] = [];
  /** Never more than one. */
  const windows: ScriptedWindow[] = [];
  const presenter: PopupPresenter = {
    findObstacle: async () => (typeof obstacle === 'function' ? obstacle() : obstacle),
    idleMs: script.idleMs ?? (async () => undefined),
    closeKept: script.closeKept ?? (() => undefined),
    present(spec) {
      const { message } = spec.question;
      seen.push(`open ${message}`);
      const ended = Promise.withResolvers<Ending>();
      const window = { spec, isShown: false, end: ended.resolve };
      windows.push(window);
      const shown = opens();
      const open = async () => {
        await shown;
        window.isShown = true;
        if (script.isVisible !== false) spec.onVisibility?.('visible');
      };
      open().catch(() => undefined);
      const ending = person(spec);
      if (ending !== undefined) ended.resolve(ending);
      return {
        shown,
        ended: ended.promise,
        notify: (notice) => void notices.push(notice),
        leave() {
          left.push(message);
          windows.splice(windows.indexOf(window), 1);
          return true;
        },
        async close() {
          if (!windows.includes(window)) return;
          windows.splice(windows.indexOf(window), 1);
          seen.push(`close ${message}`);
        },
      };
    },
  };
  const desk = scriptedDesk();
  const inbox = createInbox({
    historyLimit: 5,
    journal: noJournal,
    quiet: new Quiet(memoryJournal(), clock),
    sound: 'off',
    ...script,
    presenter,
    desk,
    history,
    drafts,
    chime: (when, client) =>
      void chimes.push(client === undefined ? when : `${when} on ${client.env['DISPLAY']}`),
    notifyInstead: async (news) => void notified.push(news.message),
    notifyPutOff(question) {
      putOff.add(question);
      return async () => putOff.delete(question);
    },
    clock,
  });
  return {
    inbox,
    personsDesktop: async () => ({ pid: 1, env: { DISPLAY: ':7' } }),
    openForms: new Map(),
    drafts,
    clock,
    /** Popups that opened and closed, in order. */
    seen,
    chimes,
    notices,
    /** News that became notifications of the system. */
    notified,
    /** Questions that wait in a notification. */
    putOff,
    /** News whose windows stay. */
    left,
    desk,
    windows,
    folder: '/home/anna/project',
    usesElicitation: script.usesElicitation ?? true,
    theme: script.theme ?? 'auto',
    progressIntervalMs: 5,
    plain: script.plain ?? false,
    [Symbol.asyncDispose]: () => inbox[Symbol.asyncDispose](),
  };
}

/** Named, so that other packages can name it, too. */
export interface ScriptedPopup extends ReturnType<typeof newPopup> {}

export const scriptedPopup: (script?: Script) => ScriptedPopup = newPopup;

/** A desk that this process has, until other processes get it from the test. */
function scriptedDesk() {
  let own: readonly DeskItem[] = [];
  let other: readonly DeskItem[] = [];
  let isOurs = true;
  let passed = 0;
  return {
    process: 'this',
    get isOurs() {
      return isOurs;
    },
    get isWaiting() {
      return !isOurs;
    },
    get items() {
      return inOrder([...own, ...other]);
    },
    get passed() {
      return passed;
    },
    onChange: () => {},
    offer(items: readonly DeskItem[]) {
      own = items;
    },
    pass() {
      const [next] = this.items;
      if (next === undefined) return;
      passed += 1;
      isOurs = false;
    },
    /** Sets what waits in other processes. */
    others(items: readonly DeskItem[]) {
      other = items;
      this.onChange();
    },
    /** Gives the desk to this process, or takes it away. */
    give(given: boolean) {
      isOurs = given;
      this.onChange();
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}
