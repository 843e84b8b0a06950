import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { folders } from '@deskside/core';
import manifest from '../package.json' with { type: 'json' };
import { playChime } from './chime/play-chime.ts';
import { draftFile, draftInMemory } from './drafts/draft-store.ts';
import { conversationLog, type History, noHistory } from './history/conversation-log.ts';
import { type Machine, thisMachine } from './machine/machine.ts';
import { runtimeFolder } from './machine/runtime-folder.ts';
import type { PopupOptions } from './options.ts';
import { popupService, type PopupService } from './service/popup-service.ts';
import { systemTheme } from './theme/system-theme.ts';
import { takeTurn } from './turn/turn.ts';
import { windowDrivers } from './window/window-drivers.ts';
import { windowPresenter } from './window/window-presenter.ts';

/** What the tool uses. Disposing of it closes what is on the screen. */
export interface Popup extends AsyncDisposable {
  readonly service: PopupService;
  readonly usesElicitation: boolean;
  /** Milliseconds. */
  readonly progressInterval: number;
}

const PROGRESS_MS = 15_000;

/** Opens nothing yet: a window comes with the first question. */
export function openPopup(options: PopupOptions = {}, machine: Machine = thisMachine()): Popup {
  const { plain = false, history = true, historyLimit = 5 } = options;
  const service = popupService({
    presenter: windowPresenter({
      machine,
      drivers: windowDrivers(options, { machine, folder: browserFolder() }),
      plain,
      systemTheme: () => systemTheme(machine),
    }),
    takeTurn: async (signal) => takeTurn(await runtimeFolder(machine), signal),
    history: history ? historyIn(options.historyDir, machine) : noHistory,
    historyLimit,
    drafts: history ? draftFile(join(folders().state, 'popup-draft.txt')) : draftInMemory(),
    chime: (when) => void playChime(when, machine),
  });
  return {
    service,
    usesElicitation: options.elicitation ?? true,
    progressInterval: options.progressInterval ?? PROGRESS_MS,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

function historyIn(configured: string | undefined, machine: Machine): History {
  return conversationLog({
    folder: historyFolder(configured, machine),
    project: machine.workingDirectory,
    writer: `deskside-notify-popup ${manifest.version}`,
  });
}

/** VoiceMode's own folder where there is one, so that spoken and written words are one conversation. */
export function historyFolder(configured: string | undefined, { home }: Machine): string {
  const voiceMode = join(home, '.voicemode/logs/conversations');
  return configured ?? (existsSync(voiceMode) ? voiceMode : join(folders().data, 'popup-history'));
}

/** Where browsers keep the popup's profile. */
export function browserFolder(): string {
  return join(folders().state, 'popup-browser');
}
