import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Ids of the processes that use the popup's browser profile in this home. */
export function browserProcesses(home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandOf(pid).includes(`--user-data-dir=${join(home, 'state')}`))
    .map(Number);
}

/** What a popup that is over must not leave: profile locks, and pages that lead to it. */
export function leftovers(home: string): string[] {
  return [
    ...globSync('state/deskside/popup-browser/*/Singleton*', { cwd: home }),
    ...globSync('run/deskside/*.html', { cwd: home }),
  ];
}

/** What everybody on this machine can read of those processes. */
export function browserCommands(home: string): string[] {
  return browserProcesses(home).map((pid) => commandOf(String(pid)));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
