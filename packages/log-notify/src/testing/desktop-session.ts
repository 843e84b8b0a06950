import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cleanEnvironment, isInstalled, startProgram, temporaryFolder } from '@deskside/testkit';

export const canShowNotifications: boolean = isInstalled('Xvfb', 'dbus-daemon', 'dunst');

/** Xfce's daemon, and the program that has its settings. */
const XFCE = ['notifyd/xfce4-notifyd', 'xfconf/xfconfd'].flatMap((file) =>
  globSync(`/usr/lib/*/xfce4/${file}`),
);

export const canUseXfce: boolean = canShowNotifications && XFCE.length === 2;

/** A bus that starts no program: the daemon of the test is the only one. */
const busSettings = (address: string) => `<busconfig><type>session</type><listen>${address}</listen>
<auth>EXTERNAL</auth><policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>`;

/**
 * A virtual screen with a real notification daemon: Xvfb, dbus-daemon, and dunst or the daemon of Xfce.
 *
 * @param settings of the daemon. Default: those of the machine
 */
export async function startDesktopSession(settings?: string) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.config/dunst'), { recursive: true });
  if (settings !== undefined) writeFileSync(join(folder, '.config/dunst/dunstrc'), settings);
  const session = await startBus(folder);
  const daemon = startProgram({ command: 'dunst', args: ['-print'], env: session.own });
  await ownsName('org.freedesktop.Notifications', session.own);
  const control = async (...args: readonly string[]) => {
    await startProgram({ command: 'dunstctl', args, env: session.own }).exited;
  };
  return {
    ...session,
    /** Resolves with the daemon's output for a matching notification. */
    shown: async (words: RegExp) => (await daemon.printed(words))[0],
    /** Starts "Do not disturb". */
    pause: async () => control('set-paused', 'true'),
    /** Closes the oldest notification, as a click on it does. */
    dismiss: async () => control('close'),
    /** Does what a click on the newest notification does that has an action. */
    click: async () => control('action'),
    endDaemon: async () => daemon[Symbol.asyncDispose](),
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await session[Symbol.asyncDispose]();
    },
  };
}

export async function startXfceSession() {
  const folder = temporaryFolder();
  const session = await startBus(folder);
  const daemons = XFCE.toReversed().map((command) => startProgram({ command, args: [], env: session.own }));
  for (const name of ['org.xfce.Xfconf', 'org.freedesktop.Notifications']) await ownsName(name, session.own);
  const args = '-c xfce4-notifyd -p /do-not-disturb -n -t bool -s true'.split(' ');
  return {
    ...session,
    async pause() {
      await startProgram({ command: 'xfconf-query', args, env: session.own }).exited;
    },
    async [Symbol.asyncDispose]() {
      for (const program of daemons) await program[Symbol.asyncDispose]();
      await session[Symbol.asyncDispose]();
    },
  };
}

async function startBus(folder: string) {
  const path = process.env['PATH'] ?? '';
  const screen = startProgram({
    command: 'Xvfb',
    args: ['-displayfd', '1', '-screen', '0', '800x300x24'],
    env: { PATH: path },
  });
  const [, display = ''] = await screen.printed(/(\d+)\n/);
  const settings = join(folder, 'bus.conf');
  const address = `unix:path=${join(folder, 'bus')}`;
  writeFileSync(settings, busSettings(address));
  const bus = startProgram({
    command: 'dbus-daemon',
    args: ['--config-file', settings, '--nofork', '--print-address'],
    env: { PATH: path, HOME: folder },
  });
  await bus.printed(/unix:\S+/);
  const env = { DISPLAY: `:${display}`, DBUS_SESSION_BUS_ADDRESS: address };
  return {
    /** The home folder of the person. */
    home: folder,
    /** For programs that use the session. */
    env: { ...cleanEnvironment(folder), ...env },
    /** For the programs of the session. */
    own: { PATH: path, HOME: folder, ...env },
    /** The screen answers nothing for this time, as on a busy machine. Resolves when it answers again. */
    async delay(ms: number) {
      screen.child.kill('SIGSTOP');
      await wait(ms);
      screen.child.kill('SIGCONT');
    },
    async [Symbol.asyncDispose]() {
      for (const program of [bus, screen]) await program[Symbol.asyncDispose]();
    },
  };
}

/** Waits until a program owns a name on the bus. */
async function ownsName(name: string, env: Readonly<Record<string, string>>): Promise<void> {
  const args = ['wait', '--session', '--timeout', '20', name];
  const waiting = startProgram({ command: 'gdbus', args, env });
  if ((await waiting.exited) !== 0) throw new Error(`${name} does not answer: ${waiting.stderr()}`);
}
