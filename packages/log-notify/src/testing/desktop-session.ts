import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Program, startProgram } from '@deskside/testkit';

/** A virtual screen with a real notification daemon: Xvfb, dbus-daemon and dunst. */
export interface DesktopSession extends AsyncDisposable {
  /** Environment for programs that use this session. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves with the daemon's output for a matching notification. */
  shown(words: RegExp): Promise<string>;
  /** Starts "Do not disturb". */
  pause(): Promise<void>;
  /** Closes the oldest notification, as a click on it does. */
  dismiss(): Promise<void>;
  /** Does what a click on the newest notification does that has an action. */
  click(): Promise<void>;
  endDaemon(): Promise<void>;
}

export const canShowNotifications: boolean = ['Xvfb', 'dbus-daemon', 'dunst'].every(
  (program) => spawnSync('which', [program]).status === 0,
);

export async function startDesktopSession(folder: string): Promise<DesktopSession> {
  const path = process.env['PATH'] ?? '';
  const screen = startProgram({
    command: 'Xvfb',
    args: ['-displayfd', '1', '-screen', '0', '800x300x24'],
    env: { PATH: path },
  });
  const [, display = ''] = await screen.printed(/(\d+)\n/);
  const bus = startProgram({
    command: 'dbus-daemon',
    args: ['--session', '--nofork', '--print-address', '--address', `unix:path=${join(folder, 'bus')}`],
    env: { PATH: path, HOME: folder },
  });
  const [, address = ''] = await bus.printed(/(unix:\S+)/);
  const env = { DISPLAY: `:${display}`, DBUS_SESSION_BUS_ADDRESS: address };
  const daemon = startProgram({
    command: 'dunst',
    args: ['-print'],
    env: { PATH: path, HOME: folder, ...env },
  });
  await waitForDaemon({ PATH: path, ...env });
  const control = async (...args: readonly string[]) => {
    await startProgram({ command: 'dunstctl', args, env: { PATH: path, ...env } }).exited;
  };
  return {
    env,
    shown: async (words) => (await daemon.printed(words))[0],
    pause: async () => control('set-paused', 'true'),
    dismiss: async () => control('close'),
    click: async () => control('action'),
    endDaemon: async () => daemon[Symbol.asyncDispose](),
    async [Symbol.asyncDispose]() {
      const programs: readonly Program[] = [daemon, bus, screen];
      for (const program of programs) await program[Symbol.asyncDispose]();
    },
  };
}

/** Waits until the daemon owns its name on the bus. */
async function waitForDaemon(env: Record<string, string>): Promise<void> {
  const args = ['wait', '--session', '--timeout', '20', 'org.freedesktop.Notifications'];
  const waiting = startProgram({ command: 'gdbus', args, env });
  if ((await waiting.exited) !== 0) throw new Error(`no notification daemon: ${waiting.stderr()}`);
}
