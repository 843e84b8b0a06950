import { fileURLToPath } from 'node:url';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { connectHttp, type Peer, SEED, startProgram } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { deskHome } from '../testing/desk-home.ts';
import { FAULTS } from '@deskside/gateway/testing/faulty-server';

// Runs alone: it asks how long answers take.

const SERVER = fileURLToPath(import.meta.resolve('@deskside/gateway/testing/faulty-server'));
const TOKEN = 'a-token-for-this-test';
/** Milliseconds for which a fault lasts. */
const LASTS_MS = 800;
/** Milliseconds until another mount has answered, usually and in nine of ten calls. */
const [USUAL_MS, SLOW_MS] = [100, 300];
/** The calls that measure are few: their own garbage would count. */
const PAUSE_MS = 20;
const MEGABYTES = 300;
const END_MS = 2000;

const TRANSPORTS = ['stdio', 'http'] as const;
const INPUTS = ['initialize', 'tools/list', 'resources/list', 'tools/call', 'resources/read', 'prompts/get'];

/** A third of all, by the seed: each takes seconds. */
const cases = TRANSPORTS.flatMap((transport) =>
  INPUTS.flatMap((input) => Object.keys(FAULTS).map((fault) => ({ transport, input, fault }))),
).filter((_, place) => (place + SEED) % 3 === 0);

test.skipIf(process.platform !== 'linux').each(cases)(
  '$transport: $fault at $input delays no other mount, and ends with the desk',
  async ({ transport, input, fault }) => {
    const { home, command, run } = deskHome();
    const file = join(home, 'fault');
    const args = [SERVER, file, ...(transport === 'http' ? ['http'] : [])];
    await using remote = transport === 'http' ? startProgram({ command: process.execPath, args }) : undefined;
    const [, url = ''] = (await remote?.printed(/(http:\S+)/)) ?? [];
    await run('add', 'bad', '--yes', ...(remote === undefined ? ['--', process.execPath, ...args] : [url]));
    writeFileSync(file, `${input} ${fault}`);

    const serving = command(['http', '--port', '0', '--mounts', 'bad,todo'], {
      DESKSIDE_TOKEN: TOKEN,
      DESKSIDE_LOG_LEVEL: 'error',
      TODO_DATABASE_URL: ':memory:',
    });
    await using desk = startProgram(serving);
    const [, address = ''] = await desk.printed(/(http:\/\/127\.0\.0\.1:\d+\/mcp)/);
    await using peer = await connectHttp(address, { era: 'legacy', token: TOKEN });
    await peer.callTool('todo_list_tasks', { user_id: 'me' });
    const hurt = [
      peer.callTool('bad_call'),
      peer.readResource('faulty://a'),
      peer.getPrompt('bad_p'),
      peer.client.listResources(),
    ];
    // Most of them wait for the fault to end.
    for (const each of hurt) each.catch(() => undefined);

    const { usual, slow, slowest, megabytes } = await watch(peer, desk.child.pid ?? 0);
    const began = performance.now();
    desk.child.kill('SIGTERM');
    await desk.exited;
    const ended = performance.now() - began;
    const seen = { usual, slow, slowest, megabytes, ended };
    process.stdout.write(
      `${transport} | ${input} | ${fault} | ${usual.toFixed()} ms | ${slow.toFixed()} ms | ${slowest.toFixed()} ms | ${megabytes.toFixed()} MB | ${ended.toFixed()} ms\n`,
    );
    expect(
      {
        isFast: usual < USUAL_MS && slow < SLOW_MS,
        isSmall: megabytes < MEGABYTES,
        hasEnded: ended < END_MS,
      },
      JSON.stringify(seen),
    ).toStrictEqual({ isFast: true, isSmall: true, hasEnded: true });
  },
);

interface Seen {
  /** Milliseconds: half of the answers came faster. */
  readonly usual: number;
  /** Milliseconds: nine of ten answers came faster. Programs that start delay single ones. */
  readonly slow: number;
  readonly slowest: number;
  /** The most that the desk had in memory. */
  readonly megabytes: number;
}

/** Calls the other mount while the fault lasts. */
async function watch(peer: Peer, pid: number): Promise<Seen> {
  const end = performance.now() + LASTS_MS;
  const times: number[] = [];
  do {
    const began = performance.now();
    await peer.callTool('todo_list_tasks', { user_id: 'me' });
    times.push(performance.now() - began);
    await setTimeout(PAUSE_MS);
  } while (performance.now() < end);
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const sorted = times.toSorted((a, b) => a - b);
  return {
    usual: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    slow: sorted[Math.floor(sorted.length * 0.9)] ?? 0,
    slowest: sorted.at(-1) ?? 0,
    megabytes: Number(kilobytes) / 1000,
  };
}
