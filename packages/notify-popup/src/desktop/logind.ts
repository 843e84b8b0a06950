import { outputOf } from '@deskside/core/base';
import type { SystemInfo } from './system.ts';

const TIMEOUT_MS = 1000;

/** A login of this user at a screen of this machine. */
export interface LogindSession {
  readonly id: string;
  /** The X display; undefined if logind does not know it. */
  readonly display: string | undefined;
  /** False while another user, or a text console, has the screen. */
  readonly isActive: boolean;
  /** As screen lockers of GNOME, KDE and others report it. */
  readonly isLocked: boolean;
}

/** @returns undefined without logind */
export async function screenSessions(system: SystemInfo): Promise<readonly LogindSession[] | undefined> {
  const list = await loginctl(system, 'list-sessions', '--no-legend');
  const ids = list
    ?.split('\n')
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([id = '', uid]) => (uid === String(system.uid) ? [id] : []));
  if (ids === undefined || ids.length === 0) return ids && [];
  const text = (await loginctl(system, 'show-session', ...ids)) ?? '';
  // One block per session.
  return text.split('\n\n').flatMap((block) => {
    const about = new Map(
      block.split('\n').map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]),
    );
    const isAtScreen = ['x11', 'wayland', 'mir'].includes(about.get('Type') ?? '');
    if (!isAtScreen || about.get('Remote') !== 'no') return [];
    return {
      id: about.get('Id') ?? '',
      display: about.get('Display') || undefined,
      isActive: about.get('Active') === 'yes',
      isLocked: about.get('LockedHint') === 'yes',
    };
  });
}

/** @returns undefined if the command does not exist or logind does not run */
function loginctl({ env }: SystemInfo, ...args: readonly string[]): Promise<string | undefined> {
  return outputOf({ env: { ...env, LC_ALL: 'C' } }, 'loginctl', args, TIMEOUT_MS);
}
