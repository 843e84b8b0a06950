import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type Check, command } from './check.ts';
import { root } from './workspace.ts';

/** By Debian package: the program that tests look for on the PATH, or a file that it installs elsewhere. */
const PACKAGES: Readonly<Record<string, string>> = {
  chromium: 'chromium',
  'chromium-headless-shell': 'chromium-headless-shell',
  dbus: 'dbus-daemon',
  dunst: 'dunst',
  'firefox-esr': 'firefox',
  'gir1.2-gtk-3.0': '/usr/lib/*/girepository-1.0/Gtk-3.0.typelib',
  gjs: 'gjs',
  'i3-wm': 'i3',
  i3lock: 'i3lock',
  'libglib2.0-bin': 'gdbus',
  'libnotify-bin': 'notify-send',
  nginx: '/usr/sbin/nginx',
  openbox: 'openbox',
  pgbouncer: '/usr/sbin/pgbouncer',
  postgresql: '/usr/lib/postgresql/*/bin/initdb',
  tmux: 'tmux',
  wmctrl: 'wmctrl',
  'x11-utils': 'xprop',
  'x11-xserver-utils': 'xrandr',
  xclip: 'xclip',
  xdotool: 'xdotool',
  xfconf: 'xfconf-query',
  'xfce4-notifyd': '/usr/lib/*/xfce4/notifyd/xfce4-notifyd',
  xvfb: 'Xvfb',
};

/** What apt could not install: it is not asked for the same packages again. */
const TRIED = join(root, '.cache/debian-packages');

/** Installs missing packages if it runs as root. If not, it reports which packages the skipped tests need. */
export const debianPackages: Check = {
  name: 'debian packages',
  async run() {
    const before = missingPackages();
    const isNew = before.join(' ') !== (existsSync(TRIED) ? readFileSync(TRIED, 'utf8') : '');
    const isAsked = isNew && process.getuid?.() === 0 && isOnPath('apt-get') && (await install(before));
    const missing = missingPackages();
    if (isAsked) {
      mkdirSync(dirname(TRIED), { recursive: true });
      writeFileSync(TRIED, missing.join(' '));
    }
    if (missing.length === 0) return [{ name: 'debian packages', status: 'passed' }];
    return missing.map((name) => ({
      name: `debian package ${name}`,
      status: 'skipped',
      detail: `Tests that need it are skipped: apt-get install ${name}`,
    }));
  },
};

/** @returns false if apt does not know which packages there are, for example without a network */
async function install(packages: readonly string[]): Promise<boolean> {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const updated = await command('apt-get', ['update'], { env });
  if (updated.failed) return false;
  const args = ['install', '-y', '--no-install-recommends'];
  const { failed } = await command('apt-get', [...args, ...packages], { env });
  // apt installs nothing if the distribution lacks one of them.
  if (failed) for (const name of packages) await command('apt-get', [...args, name], { env });
  return true;
}

function missingPackages(): string[] {
  return Object.entries(PACKAGES).flatMap(([name, file]) => {
    const isInstalled = file.startsWith('/') ? globSync(file).length > 0 : isOnPath(file);
    return isInstalled ? [] : [name];
  });
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
