import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Check, CheckResult } from './check.ts';
import { command } from './command.ts';

/** What tests run besides Node, by the program they look for. */
const PACKAGES: Readonly<Record<string, string>> = {
  chromium: 'chromium',
  'dbus-daemon': 'dbus',
  dunst: 'dunst',
  gdbus: 'libglib2.0-bin',
  'notify-send': 'libnotify-bin',
  openbox: 'openbox',
  tmux: 'tmux',
  wmctrl: 'wmctrl',
  xclip: 'xclip',
  xdotool: 'xdotool',
  xprop: 'x11-utils',
  xrandr: 'x11-xserver-utils',
  Xvfb: 'xvfb',
};

/** Installs what is missing where that is allowed; elsewhere the tests that need it are skipped, which this says. */
export const debianPackages: Check = {
  name: 'debian packages',
  async run() {
    const missing = missingPackages();
    if (missing.length > 0 && process.getuid?.() === 0 && isOnPath('apt-get')) await install(missing);
    const still = missingPackages();
    return still.map((name): CheckResult => ({
      name: `debian package ${name}`,
      status: 'skipped',
      detail: `Tests that need it are skipped: apt-get install ${name}`,
    }));
  },
};

async function install(packages: readonly string[]): Promise<void> {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await command('apt-get', ['update'], { env });
  await command('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env });
}

function missingPackages(): string[] {
  return Object.entries(PACKAGES).flatMap(([program, name]) => (isOnPath(program) ? [] : [name]));
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
