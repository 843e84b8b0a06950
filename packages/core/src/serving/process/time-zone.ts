import type { Scheduler } from '../../base/clock.ts';

/** How often a process looks where the machine is. A look takes microseconds, or milliseconds if the zone is a copied file. */
const LOOK_INTERVAL_MS = 60_000;

/**
 * Node.js reads the time zone of the machine once. It reads it again when the variable is deleted, also one that is not
 * set. A zone that the environment names stays.
 */
export function followTimeZone(
  env: Record<string, string | undefined>,
  clock: Pick<Scheduler, 'after'>,
): void {
  if (env['TZ'] !== undefined) return;
  const look = () => {
    // A program may have set one meanwhile.
    if (env['TZ'] === undefined) delete env['TZ'];
    wait();
  };
  const wait = () => void clock.after(LOOK_INTERVAL_MS, look, { isBackground: true });
  wait();
}
