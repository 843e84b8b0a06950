import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Check, type CheckResult, command } from './check.ts';

/** Debian package by the program that tests look for on the PATH. */
const PACKAGES: Readonly<Record<string, string>> = {
  chromium: 'chromium',
  'dbus-daemon': 'dbus',
  dunst: 'dunst',
  firefox: 'firefox-esr',
  gdbus: 'libglib2.0-bin',
  gjs: 'gjs',
  i3lock: 'i3lock',
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

/** Debian package by the name of a GObject library for scripts. */
const LIBRARIES: Readonly<Record<string, string>> = { 'WebKit2-4.1': 'gir1.2-webkit2-4.1' };

/** Debian package by a file that it installs outside the PATH. */
const FILES: Readonly<Record<string, string>> = { '/usr/lib/postgresql/*/bin/initdb': 'postgresql' };

/** Installs missing packages if it runs as root. If not, it reports which packages the skipped tests need. */
export const debianPackages: Check = {
  name: 'debian packages',
  async run() {
    const missing = missingPackages();
    if (missing.length > 0 && process.getuid?.() === 0 && isOnPath('apt-get')) await install(missing);
    const still = missingPackages();
    if (still.length === 0) return [{ name: 'debian packages', status: 'passed' }];
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
  const programs = Object.entries(PACKAGES).filter(([program]) => !isOnPath(program));
  const libraries = Object.entries(LIBRARIES).filter(([library]) => !isLibrary(library));
  const files = Object.entries(FILES).filter(([pattern]) => globSync(pattern).length === 0);
  return [...programs, ...libraries, ...files].map(([, name]) => name);
}

function isLibrary(name: string): boolean {
  return globSync(`/usr/lib/*/girepository-1.0/${name}.typelib`).length > 0;
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
