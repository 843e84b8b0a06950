import { outputOf } from '@deskside/desktop';
import type { SystemInfo } from './system.ts';

/** The window waits for the answer. */
const PROBE_TIMEOUT_MS = 300;

/** A system command that prints whether the desktop is dark. No argument contains a blank. */
interface ThemeProbe {
  readonly command: string;
  /** @returns undefined if the command does not say */
  readonly read: (output: string) => 'dark' | 'light' | undefined;
}

function oneOf(output: string, dark: RegExp, light: RegExp): 'dark' | 'light' | undefined {
  if (dark.test(output)) return 'dark';
  return light.test(output) ? 'light' : undefined;
}

const WINDOWS_KEY = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Themes\Personalize`;

/** In this order: the first one that says it. */
const PROBES: Partial<Record<NodeJS.Platform, readonly ThemeProbe[]>> = {
  darwin: [
    {
      command: 'defaults read -g AppleInterfaceStyle',
      // The command fails if the theme is light.
      read: (output) => (output.trim() === 'Dark' ? 'dark' : 'light'),
    },
  ],
  win32: [
    {
      command: `reg query ${WINDOWS_KEY} /v AppsUseLightTheme`,
      read: (output) => (/AppsUseLightTheme\s+REG_DWORD\s+0x0\s*$/m.test(output) ? 'dark' : 'light'),
    },
  ],
  linux: [
    {
      command: [
        'gdbus call --session --timeout=1 --dest=org.freedesktop.portal.Desktop',
        '--object-path=/org/freedesktop/portal/desktop --method=org.freedesktop.portal.Settings.ReadOne',
        'org.freedesktop.appearance color-scheme',
      ].join(' '),
      // 0 is "no preference".
      read: (output) => oneOf(output, /uint32 1/, /uint32 2/),
    },
    {
      command: 'gsettings get org.gnome.desktop.interface color-scheme',
      read: (output) => oneOf(output, /dark/, /light/),
    },
    ...['kreadconfig6', 'kreadconfig5'].map((program) => ({
      command: `${program} --group General --key ColorScheme`,
      read: (output: string) => oneOf(output, /dark/i, /\S/),
    })),
  ],
};

/** The theme of the desktop; `auto` leaves it to the browser if the system does not say. */
export async function systemTheme(
  system: SystemInfo,
  timeoutMs = PROBE_TIMEOUT_MS,
): Promise<'light' | 'dark' | 'auto'> {
  for (const { command, read } of PROBES[system.platform] ?? []) {
    const [program = '', ...args] = command.split(' ');
    const theme = read((await outputOf(system, program, args, timeoutMs)) ?? '');
    if (theme !== undefined) return theme;
  }
  return 'auto';
}
