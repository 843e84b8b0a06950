import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { programOf } from '@deskside/checks/src/workspace.ts';
import { temporaryFolder } from '@deskside/core/testing';
import { connectStdio } from '@deskside/testkit';
import { cpuTime, memorySize } from './process.ts';
import { type Costs, inTurns } from './statistics.ts';

/** A program that serves MCP over stdio: a script and its arguments. */
export interface Subject {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
  /** A call that belongs to the start. */
  readonly firstCall?: { readonly name: string; readonly arguments: Record<string, unknown> };
}

/** Milliseconds from the spawn to the answer of `tools/list`, or of the first call. */
export interface StartCost {
  readonly cpu: number;
  readonly wall: number;
  /** Megabytes at that moment, or later. */
  readonly memory: number;
}

const DESK = programOf('apps/aggregator');

/** Its first start in a home starts the desk there. */
export const attachedClient: Subject = {
  name: 'deskside stdio',
  script: DESK,
  // The first start waits for the desk, which takes longer than a second on a busy machine.
  args: ['stdio', '--attach-timeout', '60'],
};

/**
 * Starts a server as a host does and reads its tools.
 *
 * @param home a folder of this measurement, so that no configuration, data or cache of the machine has an effect
 * @param settleMs from the answer until the memory is measured
 */
export async function start(
  { script, args = [], firstCall }: Subject,
  home: string,
  settleMs = 0,
): Promise<StartCost> {
  const startedAt = performance.now();
  const command = { command: process.execPath, args: [script, ...args], env: { HOME: home, TMPDIR: home } };
  await using peer = await connectStdio(command, { era: 'legacy' });
  await peer.listTools();
  if (firstCall !== undefined) await peer.callTool(firstCall.name, firstCall.arguments);
  const wall = performance.now() - startedAt;
  const { pid } = peer.client.transport as unknown as { readonly pid: number };
  const cpu = cpuTime(pid);
  await delay(settleMs);
  return { cpu, wall, memory: memorySize(pid) };
}

/** What starts cost, after a warm-up, all in one home. */
export async function measureStarts(
  rounds: number,
  subjects: readonly Subject[],
  measure: (subject: Subject, home: string) => Promise<StartCost> = start,
): Promise<Readonly<Record<keyof StartCost, Costs>>> {
  using home = temporaryFolder();
  try {
    for (const subject of subjects) await measure(subject, home.path);
    const costs = await inTurns(rounds, subjects, (subject) => measure(subject, home.path));
    const only = (part: keyof StartCost): Costs =>
      new Map(Array.from(costs, ([subject, each]) => [subject, each.map((cost) => cost[part])]));
    return { cpu: only('cpu'), wall: only('wall'), memory: only('memory') };
  } finally {
    const stop = [DESK, 'stop'];
    await once(spawn(process.execPath, stop, { env: { HOME: home.path }, stdio: 'ignore' }), 'exit');
  }
}
