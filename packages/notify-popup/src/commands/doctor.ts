import { defineDoctor, type DoctorReport } from '@deskside/core/program';
import { systemClock } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
import manifest from '../../package.json' with { type: 'json' };
import type { DisplaySearch } from '../desktop/hidden-display.ts';
import { type DesktopSession, desktopSession } from '../desktop/session.ts';
import { currentSystem, openRuntimeFolder, type SystemInfo } from '../desktop/system.ts';
import { systemTheme } from '../desktop/theme.ts';
import { historyFolder } from '../notify-popup.ts';
import { popupOptions } from '../options.ts';
import { REMINDER } from '../service/item.ts';
import type { WindowDriver } from '../window/driver.ts';
import { windowDrivers, windowPresenter } from '../window/window-presenter.ts';

type Problem = DoctorReport['problems'][number];

export const doctorCommand = defineDoctor({
  options: popupOptions,
  details: 'Opens a window for a moment. Exit code 1 means that there is a problem.',
  async examine(options) {
    const session = desktopSession(currentSystem(), options.presenter !== 'auto');
    const search = await session.find();
    const { system } = session;
    const drivers = windowDrivers(options, system);
    const probes = drivers.map(({ name, probe }) => ({ name, probe: probe() }));
    const isFound = probes.some(({ probe }) => 'found' in probe);
    const trial = 'display' in search && isFound ? await openWindow(session, drivers, options) : undefined;
    return {
      program: `deskside-notify-popup ${manifest.version}`,
      facts: [
        ['Display', displayText(search, options.elicitation)],
        ...probes.map(({ name, probe }) =>
          'found' in probe ? ([name, probe.found] as const) : ([name, probe.missing, 'detail'] as const),
        ),
        ...(trial === undefined ? [] : [['Window', trial.fact] as const]),
        ['Theme', await systemTheme(system), 'detail'],
        ['History', options.history ? historyFolder(options.historyDir, system) : 'not stored'],
      ],
      problems: [
        ...('tried' in search ? [noDisplay(system, search.tried)] : []),
        ...(isFound ? [] : [noProgram(options)]),
        ...(trial?.problems ?? []),
        ...(await lockProblems(system)),
      ],
    };
  },
});

function displayText(search: DisplaySearch, elicitation: boolean): string {
  if ('display' in search) return `${search.display} (${search.why})`;
  return elicitation ? 'not found; clients that support forms are asked instead' : 'not found';
}

/** Opens a window as news does, without the keyboard. A browser may show nothing, or a page of its own. */
async function openWindow(
  session: DesktopSession,
  drivers: readonly WindowDriver[],
  { plain }: { plain: boolean },
): Promise<{ fact: string; problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  const warn = (_: string, { program, failure }: Readonly<Record<string, unknown>> = {}) => {
    const remedy = 'Start it by hand and look for a policy or a dialog, or name another one with --browser.';
    problems.push({ problem: `${String(program)} ${String(failure)}.`, remedy });
  };
  const { present } = windowPresenter({
    sessionOf: () => session,
    drivers: () => drivers,
    plain,
    systemTheme,
  });
  const popup = present({
    question: WINDOW_OF_DOCTOR,
    log: { debug: () => undefined, info: () => undefined, warn },
    history: [],
    drafts: [],
    missed: [],
    onDraft: () => undefined,
    onDeleteDraft: () => undefined,
    onActivity: () => undefined,
  });
  const startMs = systemClock.elapsedMs();
  try {
    await popup.shown;
    return { fact: `opened in ${Math.round(systemClock.elapsedMs() - startMs)} ms`, problems };
  } catch (error) {
    return { fact: `not opened: ${messageOf(error)}`, problems };
  } finally {
    await popup.close();
  }
}

const WINDOW_OF_DOCTOR = {
  ...REMINDER,
  message: 'The window opens. It closes by itself.',
  title: 'Deskside doctor',
};

function noDisplay({ platform }: SystemInfo, tried: readonly string[]): Problem {
  return {
    problem: ['No display was found.', ...tried].join(' '),
    remedy:
      platform === 'linux'
        ? 'Start the client in a graphical session, or pass DISPLAY, or WAYLAND_DISPLAY and XDG_RUNTIME_DIR, to the server.'
        : 'Start the client in a session that is logged in at the screen.',
  };
}

function noProgram({ presenter, browser }: { presenter: string; browser?: string | undefined }): Problem {
  const problem = 'No program can show the window.';
  if (browser !== undefined && !presenter.startsWith('webkit'))
    return { problem, remedy: 'Correct --browser, or leave it out.' };
  if (presenter === 'auto') {
    const remedy = 'Install Chromium, Chrome, Edge, Brave, Vivaldi or Firefox, or set --browser.';
    return { problem, remedy };
  }
  const remedy = 'Install its program, or set --presenter to auto.';
  return { problem: `The presenter ${presenter} cannot show the window.`, remedy };
}

async function lockProblems(system: SystemInfo): Promise<readonly Problem[]> {
  try {
    await openRuntimeFolder(system);
    return [];
  } catch (error) {
    const problem = `The lock folder cannot be used: ${messageOf(error).replace(/\.$/, '')}.`;
    return [{ problem, remedy: 'Delete it, or correct its owner.' }];
  }
}
