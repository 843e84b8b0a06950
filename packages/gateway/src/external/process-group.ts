import type { ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { platform } from 'node:os';
// oxlint-disable-next-line eslint/no-restricted-imports -- the only way to signal a process group
import { kill } from 'node:process';
import type { Readable, Writable } from 'node:stream';
import spawn from 'cross-spawn';

/** A program with its pipes. Its events are those of `ChildProcess`. */
export interface Child extends EventEmitter {
  readonly pid?: number | undefined;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Reaches all processes of its group. */
  signal(signal: NodeJS.Signals): void;
}

interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** Starts a program in its own process group. */
export function startGroup(command: string, args: readonly string[], { env, cwd }: Place): Child {
  const child = spawn(command, [...args], {
    env: { ...env },
    cwd,
    stdio: 'pipe',
    detached: platform() !== 'win32',
    windowsHide: true,
  });
  return Object.assign(child, { signal: (signal: NodeJS.Signals) => signalGroup(child, signal) });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (platform() === 'win32') {
    if (signal === 'SIGKILL' && !hasEnded(child)) endTree(child, child.pid);
    return;
  }
  try {
    kill(-child.pid, signal);
  } catch {
    // The group has ended.
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Windows has no process groups; its own program ends a tree. */
function endTree(child: ChildProcess, pid: number): void {
  const endChild = () => void child.kill('SIGKILL');
  spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
    .on('error', endChild)
    .on('exit', (code) => code === 0 || endChild());
}
