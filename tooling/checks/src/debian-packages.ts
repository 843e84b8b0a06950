import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Check, command } from './check.ts';
import { root } from './workspace.ts';

/** What tests of windows, databases and terminals start. Without one of them, they are skipped. */
const PACKAGES = `chromium chromium-headless-shell dbus dunst firefox-esr gir1.2-gtk-3.0 gjs i3-wm i3lock
  libglib2.0-bin libnotify-bin nginx openbox pgbouncer postgresql tmux wmctrl x11-utils x11-xserver-utils xclip
  xdotool xfconf xfce4-notifyd xvfb`.split(/\s+/);

/** What apt could not install: it is not asked for the same packages again. */
const TRIED = join(root, '.cache/debian-packages');

/** Installs missing packages if it runs as root. If not, it reports which packages the skipped tests need. */
export const debianPackages: Check = {
  name: 'debian packages',
  async run() {
    const before = await missingPackages();
    const isNew = before.join(' ') !== (existsSync(TRIED) ? readFileSync(TRIED, 'utf8') : '');
    const isAsked = isNew && process.getuid?.() === 0 && (await install(before));
    const missing = isAsked ? await missingPackages() : before;
    if (isAsked) {
      mkdirSync(dirname(TRIED), { recursive: true });
      writeFileSync(TRIED, missing.join(' '));
    }
    if (missing.length === 0) return [{ name: 'debian packages', status: 'passed' }];
    const detail = `Tests that need one of these are skipped: apt-get install ${missing.join(' ')}`;
    return [{ name: 'debian packages', status: 'skipped', detail }];
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

async function missingPackages(): Promise<string[]> {
  const format = '--showformat=${Package} ${db:Status-Status}\n';
  const { stdout } = await command('dpkg-query', ['--show', format, ...PACKAGES]);
  const found = new Set(stdout.split('\n'));
  return PACKAGES.filter((name) => !found.has(`${name} installed`));
}
