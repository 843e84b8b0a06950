import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuTime } from '../process-cpu.ts';

/** A program, and whether it answers MCP on stdio. */
export interface Subject {
  readonly name: string;
  readonly args: readonly string[];
  readonly answers: boolean;
}

export interface Cost {
  /** CPU milliseconds from the spawn to the answer of `tools/list`, or until the program is idle. */
  readonly cpu: number;
  /** Proportional set size half a second later, in megabytes. */
  readonly memory: number;
}

const SETTLE_MS = 500;
const POLL_MS = 50;
/** A process that got no CPU for one poll may only be waiting for it on a busy machine. */
const IDLE_POLLS = 8;

const MESSAGES = [
  {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'deskside-bench', version: '0.0.0' },
    },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
];

/** @param home where the program finds its desk */
export async function measure({ args, answers }: Subject, home: string): Promise<Cost> {
  const child = spawn(process.execPath, args, {
    env: { HOME: home, TMPDIR: home },
    cwd: home,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${args.join(' ')} cannot be started`);
  try {
    if (answers) await listed(child);
    else await idle(pid);
    const cpu = cpuTime(pid);
    await delay(SETTLE_MS);
    return { cpu, memory: proportionalSize(pid) };
  } finally {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}

/** Resolves with the answer of `tools/list`. */
async function listed({ stdin, stdout }: ChildProcess): Promise<void> {
  if (stdin === null || stdout === null) return;
  for (const message of MESSAGES) stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  for await (const line of createInterface({ input: stdout })) {
    if (line.includes('"id":2')) return;
  }
  throw new Error('The program ended without an answer.');
}

/** Resolves when the program needed no CPU for a while. */
async function idle(pid: number): Promise<void> {
  let last = -1;
  for (let polls = 0; polls < IDLE_POLLS; polls += 1) {
    await delay(POLL_MS);
    const now = cpuTime(pid);
    if (now !== last) polls = 0;
    last = now;
  }
}

function proportionalSize(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
