import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { silentLog } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { beginSession, INITIALIZE, postOf, toolCall } from '@deskside/core/testing/wire';
import { expect, onTestFinished, test } from 'vitest';
import { deskWith, running, trustingSource } from '../testing/external.ts';
import { fakeServer, jsonOf, listingOf } from '../testing/fake.ts';

type Json = Readonly<Record<string, unknown>>;

const LOAD_MS = 5 * 60_000;
const CLIENTS = 8;
const SESSIONS = 4;
/** The shared server and the guard. */
const OTHER_PROCESSES = 2;
const MOST_PROCESSES = SESSIONS + OTHER_PROCESSES;
/** Connections that wait for their next use come and go. */
const MARGIN_HANDLES = 12;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A client that initializes, calls each server, and goes without a word. */
async function visit(url: string): Promise<readonly unknown[]> {
  const client = { ...INITIALIZE.params, capabilities: { elicitation: {} } };
  const session = await beginSession((init) => fetch(url, init), { ...INITIALIZE, params: client });
  await fetch(url, postOf({ jsonrpc: '2.0', method: 'notifications/initialized' }, session));
  const answers: unknown[] = [];
  for (const name of ['shared_pid', 'own_pid', 'shared_echo', 'own_echo']) {
    const response = await fetch(url, postOf(toolCall(name, name), session));
    const [message = '{}'] = /\{.*\}/.exec(await response.text()) ?? [];
    answers.push(jsonOf((JSON.parse(message) as { readonly result: Json }).result));
  }
  return answers;
}

function childCount(): number {
  const tasks = `/proc/${process.pid}/task`;
  const lists = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/children`, 'utf8'));
  return lists.flatMap((list) => list.split(' ').filter(Boolean)).length;
}

function footprint() {
  collectGarbage();
  return {
    handles: process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout').length,
    heapMegabytes: process.memoryUsage().heapUsed / 1024 ** 2,
  };
}

test.skipIf(process.platform !== 'linux')(
  'clients that never say goodbye leave a bounded number of processes and handles',
  async () => {
    const childrenBefore = childCount();
    const listing = listingOf('pid', 'echo');
    const desk = await deskWith(
      {
        shared: running(fakeServer()),
        // Writes to stderr without end, and ignores the end of its input and SIGTERM.
        own: running(fakeServer('immortal'), { isolation: 'per-client' }),
      },
      {
        sources: { shared: trustingSource(listing), own: trustingSource(listing) },
      },
    );
    onTestFinished(() => desk[Symbol.asyncDispose]());
    const serving = await serve(desk.aggregator.definition, {
      log: silentLog,
      ownsProcess: false,
      limits: { sessionsPerPrincipal: SESSIONS },
      http: { port: 0, auth: 'none' },
    });
    onTestFinished(() => serving.close());
    const url = serving.url ?? '';

    async function load(): Promise<void> {
      const pids = new Set<unknown>();
      for (let client = 0; client < CLIENTS; client += 2) {
        const visits = await Promise.all([visit(url), visit(url)]);
        for (const [shared, own, ...others] of visits) {
          pids.add(shared);
          expect(own).toBeTypeOf('number');
          expect(others).toStrictEqual(['hi', 'hi']);
        }
      }
      expect(pids.size).toBe(1);
    }

    const settled = () =>
      expect.poll(() => childCount() - childrenBefore).toBeLessThanOrEqual(MOST_PROCESSES);
    await load();
    await settled();
    const first = footprint();
    const until = performance.now() + LOAD_MS;
    do await load();
    while (performance.now() < until);
    await settled();
    await expect.poll(() => footprint().handles).toBeLessThanOrEqual(first.handles + MARGIN_HANDLES);
    expect(footprint().heapMegabytes).toBeLessThan(first.heapMegabytes + 20);
  },
);
