// oxlint-disable eslint/no-restricted-imports -- the one place that kills a window's processes
import { execFile, spawn } from 'node:child_process';
import { kill as signal } from 'node:process';
import type { Machine } from '../machine/machine.ts';
import type { OpenWindow } from './window-driver.ts';

/**
 * Starts the program behind a window as the leader of a process group of its own, so that all of it can be ended.
 *
 * @throws where it can't be started
 */
export async function startWindow(
  { platform, env }: Machine,
  command: string,
  args: readonly string[],
): Promise<OpenWindow & { readonly pid: number }> {
  const child = spawn(command, args, { detached: platform !== 'win32', stdio: 'ignore', env: { ...env } });
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const { pid } = await new Promise<typeof child>((resolve, reject) => {
    child.once('spawn', () => resolve(child));
    child.once('error', reject);
  });
  if (pid === undefined) throw new Error(`${command} has no process`);
  return {
    pid,
    gone,
    async kill() {
      killTree(platform, pid);
      await gone;
    },
  };
}

/** Kills a process and all it started; one that is gone already is no error. */
export function killTree(platform: NodeJS.Platform, pid: number): void {
  if (platform === 'win32') {
    execFile('taskkill', ['/pid', String(pid), '/T', '/F'], () => undefined);
    return;
  }
  try {
    signal(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
