import { errnoOf } from '@deskside/core/errors';

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Sends a signal to those of these processes that still run: some end when another one does. */
export function signalAll(signal: NodeJS.Signals, pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (errnoOf(error) !== 'ESRCH') throw error;
    }
  }
}
