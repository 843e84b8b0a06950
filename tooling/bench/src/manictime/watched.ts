import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cleanEnvironment, connectHttp, startProgram } from '@deskside/testkit';
import type { Ratio, Table } from '../benchmark.ts';
import { waitForCore } from '../process-cpu.ts';
import { minimum } from '../statistics.ts';
import { timed } from './timed.ts';

const ROUNDS = 5;
const IDLE_MS = 3000;
/** How much later than in an idle process a timer may be. */
const MAX_P99_MS = 20;

/** A tool call over much data. */
export interface LongCall {
  readonly name: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface LoopDelay {
  readonly p99: number;
  readonly max: number;
}

/** What a long call costs, and how long it keeps the event loop of its process from other work. Milliseconds. */
export interface Watched extends LoopDelay {
  readonly name: string;
  readonly times: readonly number[];
  /** The most resident memory that a program needs which answers nothing else. Megabytes. */
  readonly memory: number;
}

/**
 * @param call calls a tool in this process, as the aggregator does
 * @param folder the data folder
 */
export async function watchCalls(
  calls: readonly LongCall[],
  call: (tool: string, args: LongCall['args']) => Promise<unknown>,
  folder: string,
): Promise<{ readonly idle: LoopDelay; readonly watched: readonly Watched[] }> {
  const idle = await loopDelay(() => pause(IDLE_MS));
  const watched: Watched[] = [];
  for (const { name, tool, args } of calls) {
    let times: number[] = [];
    await call(tool, args);
    const delay = await loopDelay(async () => (times = await timed(ROUNDS, () => call(tool, args))));
    watched.push({ name, times, ...delay, memory: await peakMemory(folder, { name, tool, args }) });
  }
  return { idle, watched };
}

/**
 * How late a timer of one millisecond is, without the time in which the thread waited for a core: on two cores, that is
 * the load of the machine and not work in the event loop.
 */
async function loopDelay(work: () => Promise<unknown>): Promise<LoopDelay> {
  const delays: number[] = [];
  let [last, lastWait] = [performance.now(), waitForCore()];
  const timer = setInterval(() => {
    const [now, wait] = [performance.now(), waitForCore()];
    delays.push(Math.max(0, now - last - (wait - lastWait)));
    [last, lastWait] = [now, wait];
  }, 1);
  await work();
  clearInterval(timer);
  const sorted = delays.toSorted((a, b) => a - b);
  return { p99: sorted[Math.floor(0.99 * sorted.length)] ?? 0, max: sorted.at(-1) ?? 0 };
}

/** Of the built program, after one call. */
async function peakMemory(folder: string, { tool, args }: LongCall): Promise<number> {
  const manifest = createRequire(import.meta.url).resolve('@deskside/manictime/package.json');
  const token = 'a-token-of-the-benchmark';
  await using program = startProgram({
    command: process.execPath,
    args: [join(dirname(manifest), 'dist/bin/cli.js'), '--http', '--port', '0', '--data-dir', folder],
    env: { ...cleanEnvironment(folder), DESKSIDE_TOKEN: token },
  });
  const [, url = ''] = await program.printed(/serves MCP at (\S+)\n/);
  await using peer = await connectHttp(url, { era: 'modern', token });
  await peer.callTool(tool, args);
  const status = readFileSync(`/proc/${program.child.pid ?? 0}/status`, 'utf8');
  const [, kilobytes = '0'] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
  return Number(kilobytes) / 1000;
}

export function watchedTable(idle: LoopDelay, watched: readonly Watched[]): Table {
  return {
    caption: 'Long calls',
    columns: ['Call', 'Time, ms', 'Memory, MB', 'Event loop delay p99, ms', 'max, ms'],
    rows: [
      ['none (idle)', '', '', idle.p99.toFixed(1), idle.max.toFixed(1)],
      ...watched.map(({ name, times, memory, p99, max }) => [
        name,
        minimum(times).toFixed(0),
        memory.toFixed(0),
        p99.toFixed(1),
        max.toFixed(1),
      ]),
    ],
  };
}

export function loopRatios(idle: LoopDelay, watched: readonly Watched[]): Ratio[] {
  return watched.flatMap(({ name, p99 }) => [
    {
      title: `event loop delay above idle, ${name}, p99, to ${MAX_P99_MS} ms`,
      value: Math.max(0, p99 - idle.p99) / MAX_P99_MS,
      target: { atMost: 1 },
    },
  ]);
}

export const WATCHED_METHOD = `Long calls: ${ROUNDS} times, minimum; the event loop is that of the caller's process, without the time in which its thread waited for a core; memory is the peak of the built program that answers one such call.`;
