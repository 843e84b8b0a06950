import { loginSessions, outputOf } from '@deskside/desktop';
import { type Scheduler, systemClock } from '@deskside/core/base';
import type { SystemInfo } from './system.ts';

/** On macOS each question starts a program. */
const INTERVAL_MS = 5000;
const TIMEOUT_MS = 1000;

/**
 * Reports whether the screen is locked or shows another user's session, now and after each change. Reports nothing if
 * the platform does not tell.
 */
export function watchLock(
  system: SystemInfo,
  onChange: (isLocked: boolean) => void,
  clock: Scheduler = systemClock,
): Disposable {
  let isOver = false;
  let last: boolean | undefined;
  let cancelNext: (() => void) | undefined;
  const look = async () => {
    const locked = await isLocked(system);
    // A platform that has never told does not tell. Later, one look can fail on a busy machine.
    if (isOver || (locked === undefined && last === undefined)) return;
    if (locked !== undefined && locked !== last) onChange(locked);
    last = locked ?? last;
    cancelNext = clock.after(INTERVAL_MS, () => void look(), { isBackground: true });
  };
  void look();
  return {
    [Symbol.dispose]() {
      isOver = true;
      cancelNext?.();
    },
  };
}

/** @returns undefined if the platform does not tell */
export async function isLocked(system: SystemInfo): Promise<boolean | undefined> {
  if (system.platform === 'darwin') return isMacLocked(system);
  if (system.platform !== 'linux') return undefined;
  const { XDG_SESSION_ID: id, DISPLAY: display } = system.env;
  const sessions = (await loginSessions(system.systemBus, system.uid)) ?? [];
  const own =
    sessions.find((session) => session.id === id) ?? sessions.find((session) => session.display === display);
  return own && (own.isLocked || !own.isActive);
}

async function isMacLocked(system: SystemInfo): Promise<boolean | undefined> {
  const output = await outputOf(system, 'ioreg', ['-n', 'Root', '-d', '1'], TIMEOUT_MS);
  const [, answer] = /"IOConsoleLocked" = (Yes|No)/.exec(output ?? '') ?? [];
  return answer === undefined ? undefined : answer === 'Yes';
}
