// oxlint-disable eslint/no-restricted-imports -- the only module that kills processes
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { kill as sendSignal } from 'node:process';
import type { SystemInfo } from '../desktop/system.ts';

/**
 * Starts the program behind a window as the leader of a new process group, so that all its processes can be killed.
 *
 * @param cleanUp runs when it has ended; the window counts as gone afterwards
 * @throws if the program does not start
 */
export async function startWindow(
  { platform, env }: SystemInfo,
  command: string,
  args: readonly string[],
  cleanUp: () => Promise<void> = async () => undefined,
) {
  const child = spawn(command, args, { detached: platform !== 'win32', env: { ...env }, stdio: 'ignore' });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} has no process`);
  const gone = exit.then(async (code) => {
    // What cannot be deleted now, for example a file that is still open, is deleted with a later window.
    await cleanUp().catch(() => undefined);
    return code;
  });
  return {
    pid,
    gone,
    async kill() {
      killProcessTree(platform, pid);
      await gone;
    },
    /** This process then ends without it. */
    unref: () => child.unref(),
  };
}

/** Kills a process and everything that it started. Does nothing if it has ended. */
export function killProcessTree(platform: NodeJS.Platform, pid: number): void {
  if (platform === 'win32') {
    execFile('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true }, () => undefined);
    return;
  }
  try {
    sendSignal(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
