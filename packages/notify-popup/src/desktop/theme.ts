import { execFile } from 'node:child_process';
import type { SystemInfo } from './system.ts';

/** The window waits for the answer. */
const PROBE_TIMEOUT_MS = 300;

/** A system command that prints whether the desktop is dark. */
interface ThemeProbe {
  readonly command: string;
  readonly args: readonly string[];
  /** @param output '' if the command failed */
  readonly isDark: (output: string) => boolean;
}

const PROBES: Partial<Record<NodeJS.Platform, ThemeProbe>> = {
  // The command fails if the theme is light.
  darwin: {
    command: 'defaults',
    args: ['read', '-g', 'AppleInterfaceStyle'],
    isDark: (output) => output.trim() === 'Dark',
  },
  win32: {
    command: 'reg',
    args: [
      'query',
      String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Themes\Personalize`,
      '/v',
      'AppsUseLightTheme',
    ],
    isDark: (output) => /AppsUseLightTheme\s+REG_DWORD\s+0x0\s*$/m.test(output),
  },
  linux: {
    command: 'gsettings',
    args: ['get', 'org.gnome.desktop.interface', 'color-scheme'],
    isDark: (output) => output.includes('dark'),
  },
};

/** The theme of the desktop; light if the system does not say. */
export async function systemTheme({ platform, env }: SystemInfo): Promise<'light' | 'dark'> {
  const probe = PROBES[platform];
  if (probe === undefined) return 'light';
  const output = await new Promise<string>((resolve) => {
    execFile(probe.command, probe.args, { timeout: PROBE_TIMEOUT_MS, env: { ...env } }, (_, stdout) =>
      resolve(stdout),
    );
  });
  return probe.isDark(output) ? 'dark' : 'light';
}
