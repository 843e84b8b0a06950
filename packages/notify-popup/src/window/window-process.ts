// oxlint-disable eslint/no-restricted-imports -- the one place that kills a window's processes
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { kill as signal } from 'node:process';
import { Duplex } from 'node:stream';
import type { Machine } from '../machine/machine.ts';
import type { OpenWindow } from './window-driver.ts';

export interface WindowProcess extends OpenWindow {
  readonly pid: number;
}

/**
 * Starts the program behind a window as the leader of a process group of its own, so that all of it can be ended.
 *
 * @throws where it can't be started
 */
export async function startWindow(
  machine: Machine,
  command: string,
  args: readonly string[],
): Promise<WindowProcess> {
  return start(machine, command, spawn(command, args, { ...spawnOptions(machine), stdio: 'ignore' }));
}

/** Like `startWindow`; the program reads from its file descriptor 3 and writes to 4. */
export async function startPiped(
  machine: Machine,
  command: string,
  args: readonly string[],
): Promise<WindowProcess & { readonly input: Duplex; readonly output: Duplex }> {
  const stdio = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] as const;
  const child = spawn(command, args, { ...spawnOptions(machine), stdio: [...stdio] });
  const [, , , input, output] = child.stdio;
  const window = await start(machine, command, child);
  if (!(input instanceof Duplex) || !(output instanceof Duplex)) throw new Error(`${command} has no pipes`);
  return { ...window, input, output };
}

function spawnOptions({ platform, env }: Machine) {
  return { detached: platform !== 'win32', env: { ...env } };
}

async function start({ platform }: Machine, command: string, child: ChildProcess): Promise<WindowProcess> {
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const { pid } = await new Promise<ChildProcess>((resolve, reject) => {
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
