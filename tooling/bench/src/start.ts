import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpuTime } from './process-cpu.ts';
import { memorySize } from './process-memory.ts';
import { stdioClient } from './request-cost/stdio-client.ts';

/** A program that serves MCP over stdio: a script and its arguments. */
export interface Subject {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  /** A call that belongs to the start. */
  readonly firstCall?: { readonly name: string; readonly arguments: object };
}

/** Milliseconds from the spawn to the answer of `tools/list`, or of the first call. */
export interface StartCost {
  readonly cpu: number;
  readonly wall: number;
  /** Megabytes at that moment. */
  readonly memory: number;
}

const EXIT_TIMEOUT_MS = 5000;

/**
 * Starts a server as a host does and reads its tools: `initialize`, `notifications/initialized`, `tools/list`.
 *
 * @param home a folder of this measurement, so that no configuration, data or cache of the machine has an effect
 * @param afterwards is called after the answer, while the program runs
 * @throws Error if the server does not list its tools
 */
export async function start(
  { name, script, args, firstCall }: Subject,
  home: string,
  afterwards?: (pid: number) => Promise<void>,
): Promise<StartCost> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [script, ...args], {
    env: { HOME: home, TMPDIR: home },
    cwd: home,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    const call = await stdioClient(child);
    const { tools } = await call('tools/list', {});
    if (child.pid === undefined || tools === undefined) throw new Error(`${name} does not list its tools.`);
    if (firstCall !== undefined) await call('tools/call', firstCall);
    const wall = performance.now() - startedAt;
    const cost = { cpu: cpuTime(child.pid), wall, memory: memorySize(child.pid) };
    await afterwards?.(child.pid);
    return cost;
  } finally {
    await stop(child);
  }
}

/** Sends SIGTERM, because a start may use data that the last exit wrote. Kills the process after a timeout. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const lastMoment = setTimeout(() => child.kill('SIGKILL'), EXIT_TIMEOUT_MS);
  await exited;
  clearTimeout(lastMoment);
}
