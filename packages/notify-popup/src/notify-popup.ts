import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { folders, withDefaults } from '@deskside/core/program';
import {
  type Answer,
  type ClientDesktop,
  type Inbox,
  type Journal,
  noJournal,
  openInBrowser,
  type PopupOutcome,
  Quiet,
  type Theme,
  withoutContent,
  withUserJournal,
} from '@deskside/desktop';
import { StartError } from '@deskside/core/errors';
import { playChime } from './desktop/chime.ts';
import { notifyDesktop, notifyPutOff } from './desktop/notification.ts';
import { personsSession } from './desktop/person.ts';
import { desktopSessions } from './desktop/session.ts';
import { SharedDesk } from './desktop/shared-desk.ts';
import { currentSystem, openRuntimePlace, type SystemInfo } from './desktop/system.ts';
import { systemTheme } from './desktop/theme.ts';
import { openConversationLog } from './history/conversation-log.ts';
import { noHistory, openHistory } from './history/history.ts';
import { expireDrafts, fileDraftStore, memoryDraftStore } from './history/drafts.ts';
import { type Scheduler, systemClock } from '@deskside/core/base';
import { type PopupOptions, popupOptions } from './options.ts';
import { createInbox } from './service/inbox.ts';
import { windowDrivers, windowPresenter } from './window/window-presenter.ts';

/** Between two progress notifications. */
const PROGRESS_INTERVAL_MS = 15_000;

/** A question whose call returned with a form. */
interface OpenForm {
  readonly answer: (given: Answer) => void;
  readonly outcome: Promise<PopupOutcome>;
}

/** What the tool needs. Disposing closes every popup on the screen. */
export interface Popup extends AsyncDisposable {
  /** Everything that is asked on this desktop. */
  readonly inbox: Inbox;
  /** Of the modern era, by item: the page and the phone can answer before the form. */
  readonly openForms: Map<string, OpenForm>;
  readonly clock: Scheduler;
  /** The project's folder of a client that started this process. Empty if it was deleted. */
  readonly folder: string;
  /** True to ask through the client if no display exists. */
  readonly usesElicitation: boolean;
  /** Where the person decides on what agents may do: never on a display that a client names. */
  personsDesktop(): Promise<ClientDesktop>;
  /** For calls that ask for no theme. */
  readonly theme: Theme;
  readonly progressIntervalMs: number;
  /** True shows messages as plain text instead of Markdown. */
  readonly plain: boolean;
}

/** What only programs choose that use the popup as a library. */
interface PopupSurroundings {
  /** Where it records what is asked. Default: nowhere. */
  readonly journal?: Journal;
  readonly system?: SystemInfo;
  /** Variables of its display. Default: those of this process. */
  readonly env?: SystemInfo['env'];
}

/** Opens no window: the first question does. */
export function openPopup(
  given: PopupOptions = {},
  { system: machine = currentSystem(), env = machine.env, journal = noJournal }: PopupSurroundings = {},
): Popup {
  const system = { ...machine, env };
  const options = withDefaults(popupOptions, given);
  const { plain, history, historyLimit } = options;
  const sessionOf = desktopSessions(system, options.presenter !== 'auto');
  const known = knownPlaces(options.historyDir, system);
  const log = known.history === undefined ? undefined : openConversationLog(known.history);
  const stored = known.drafts === undefined ? undefined : fileDraftStore(known.drafts);
  const drafts = (history ? stored : undefined) ?? memoryDraftStore();
  // Also without a history: an earlier start may have stored some.
  const endExpiry = stored === undefined ? undefined : expireDrafts(stored);
  const presenter = windowPresenter({
    sessionOf,
    drivers: (current) => windowDrivers(options, current),
    plain,
    systemTheme,
  });
  const inbox = createInbox({
    presenter,
    desk: new SharedDesk(() => openRuntimePlace(system)),
    notifyInstead: ({ title, message }, client) => notifyDesktop(title, message, sessionOf(client).system),
    notifyPutOff: (question) => notifyPutOff(question, sessionOf(question.client).system),
    history: history ? openHistory(log, journal) : noHistory,
    historyLimit,
    drafts,
    journal: history ? journal : withoutContent(journal),
    quiet: new Quiet(journal, systemClock),
    sound: options.sound,
    chime: (when, client) => void playChime(when, sessionOf(client).system),
  });
  return {
    inbox,
    openForms: new Map(),
    clock: systemClock,
    folder: system.env['CLAUDE_PROJECT_DIR'] || system.workingDirectory,
    usesElicitation: options.elicitation,
    async personsDesktop() {
      const session = await personsSession.find();
      // An empty variable keeps windows away.
      return session?.desktop ?? { pid: system.processId, env: { DISPLAY: '' } };
    },
    theme: options.theme,
    progressIntervalMs: PROGRESS_INTERVAL_MS,
    async [Symbol.asyncDispose]() {
      endExpiry?.();
      await inbox[Symbol.asyncDispose]();
    },
    plain,
  };
}

/**
 * Opens an address in the browser of the person, on the display of their login session.
 *
 * @returns false if no display was found, or no browser
 */
export async function openForPerson(address: string): Promise<boolean> {
  const desktop = (await personsSession.find())?.desktop;
  if (desktop === undefined) return false;
  const session = desktopSessions(currentSystem(), false)(desktop);
  return 'display' in (await session.find()) && openInBrowser(session.system, address);
}

/** The folders of what is kept. Without a home folder only a configured history is. */
function knownPlaces(configured: string | undefined, system: SystemInfo) {
  try {
    return { history: historyFolder(configured, system), drafts: join(folders().state, 'popup-drafts') };
  } catch (error) {
    if (error instanceof StartError) return { history: configured, drafts: undefined };
    throw error;
  }
}

/** VoiceMode's folder if VoiceMode is installed: spoken and written messages are then one conversation. */
export function historyFolder(configured: string | undefined, { env, home }: SystemInfo): string {
  const base = env['VOICEMODE_BASE_DIR'] || join(home, '.voicemode');
  const voiceMode = join(base, 'logs/conversations');
  return configured ?? (existsSync(voiceMode) ? voiceMode : join(folders().data, 'popup-history'));
}

/** For the program: it records in the journal of this user. */
export const openWithJournal = withUserJournal(openPopup);
