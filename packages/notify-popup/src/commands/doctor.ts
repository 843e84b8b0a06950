import { defineDoctor, type DoctorReport } from '@deskside/core/program';
import { messageOf } from '@deskside/core/errors';
import manifest from '../../package.json' with { type: 'json' };
import type { DisplaySearch } from '../desktop/hidden-display.ts';
import { desktopSession } from '../desktop/session.ts';
import { currentSystem, openRuntimeFolder, type SystemInfo } from '../desktop/system.ts';
import { systemTheme } from '../desktop/theme.ts';
import { historyFolder, profilesFolder } from '../notify-popup.ts';
import { popupOptions } from '../options.ts';
import type { Probe } from '../window/driver.ts';
import { windowDrivers } from '../window/presenter.ts';

type Problem = DoctorReport['problems'][number];

export const doctorCommand = defineDoctor({
  options: popupOptions,
  details: 'Exit code 1 means that no popup can be shown.',
  async examine(options) {
    const session = desktopSession(currentSystem(), options.presenter !== 'auto');
    const search = await session.find();
    const { system } = session;
    const probes = await Promise.all(
      windowDrivers(options, { system, folder: profilesFolder(system), keepsNothing: false }).map(
        async ({ name, probe }) => ({
          name,
          probe: await probe(),
        }),
      ),
    );
    const selected = 'display' in search ? probes.find(({ probe }) => 'found' in probe)?.name : undefined;
    const lock = await lockFolder(system);
    return {
      program: `deskside-notify-popup ${manifest.version}`,
      facts: [
        ['Platform', system.platform],
        ['Display', displayText(search, options.elicitation)],
        ...probes.map(
          ({ name, probe }) =>
            [name, `${probeText(probe)}${name === selected ? ' (selected)' : ''}`] as const,
        ),
        ['Theme', await systemTheme(system)],
        ['Lock folder', lock.folder],
        ['History', options.history ? historyFolder(options.historyDir, system) : 'not stored'],
      ],
      problems: [
        ...('tried' in search ? [noDisplay(system, search.tried)] : []),
        ...(probes.some(({ probe }) => 'found' in probe) ? [] : [noProgram(options)]),
        ...lock.problems,
      ],
    };
  },
});

function displayText(search: DisplaySearch, elicitation: boolean): string {
  if ('display' in search) return `${search.display} (${search.why})`;
  return elicitation ? 'not found; clients that support forms are asked instead' : 'not found';
}

function probeText(probe: Probe): string {
  return 'found' in probe ? probe.found : probe.missing;
}

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
  if (browser !== undefined && !presenter.startsWith('webkit')) {
    const remedy = 'Correct --browser, or leave it out.';
    return { problem: 'No program can show the window.', remedy };
  }
  if (presenter === 'auto') {
    const remedy = 'Install Chromium, Chrome, Edge, Brave, Vivaldi or Firefox, or set --browser.';
    return { problem: 'No program can show the window.', remedy };
  }
  const problem = `The presenter ${presenter} cannot show the window.`;
  return { problem, remedy: 'Install its program, or set --presenter to auto.' };
}

async function lockFolder(system: SystemInfo): Promise<{ folder: string; problems: readonly Problem[] }> {
  try {
    return { folder: await openRuntimeFolder(system), problems: [] };
  } catch (error) {
    const problem = `The lock folder cannot be used: ${messageOf(error)}.`;
    return {
      folder: 'not usable',
      problems: [{ problem, remedy: 'Delete it, or correct its owner.' }],
    };
  }
}
