import { errnoOf } from '@deskside/core/errors';

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
