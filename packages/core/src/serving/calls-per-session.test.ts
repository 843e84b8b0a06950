import { expect, onTestFinished, test } from 'vitest';
import { getOrAdd } from '../base/values.ts';
import { createLog } from '../log.ts';
import { serverOf } from '../testing/surface.ts';
import { INITIALIZE, lineClient } from '../testing/wire.ts';
import { serve } from './serve.ts';

/** A session in which one call counts. */
async function open() {
  const noted: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gate = (name: string) => getOrAdd(gates, name, () => Promise.withResolvers<void>());
  const definition = serverOf('work', async ({ waitForPerson }, args) => {
    const name = String(args['name']);
    noted.push(name);
    if (args['asks'] === true) {
      await waitForPerson(() => gate(`${name} answered`).promise);
      noted.push(`${name} continues`);
    }
    await gate(name).promise;
    return name;
  });
  const { streams, send, next } = lineClient();
  const limits = { callsPerSession: 1 };
  const logged: string[] = [];
  const log = createLog({ level: 'warn', write: (line) => logged.push(line) });
  const serving = await serve(definition, { ownsProcess: false, log, streams, limits });
  onTestFinished(async () => {
    for (const { resolve } of gates.values()) resolve();
    await serving.close();
  });
  send(INITIALIZE);
  return {
    logged,
    call(kind: 'work' | 'ask', name: string, session = 'one') {
      const args = { name, asks: kind === 'ask' };
      const params = { name: 'work', arguments: args, _meta: { 'deskside/session': session } };
      send({ id: name, method: 'tools/call', params });
    },
    cancel: (name: string) => send({ method: 'notifications/cancelled', params: { requestId: name } }),
    end: (name: string) => gate(name).resolve(),
    /** What has begun when everything has happened that can happen. */
    async noted() {
      send({ id: 'ping', method: 'ping' });
      while ((await next()).id !== 'ping');
      await new Promise((resolve) => setImmediate(resolve));
      return noted;
    },
  };
}

test('calls of one session above the limit wait, and calls of other sessions do not', async () => {
  const { call, end, noted } = await open();
  for (const name of ['a', 'b']) call('work', name);
  call('work', 'c', 'another');
  expect(await noted()).toEqual(['a', 'c']);
  end('a');
  expect(await noted()).toEqual(['a', 'c', 'b']);
});

test('a call that waits for a person does not count, and continues at once when its wait ends', async () => {
  const { call, end, noted } = await open();
  call('ask', 'a');
  for (const name of ['b', 'c']) call('work', name);
  expect(await noted()).toEqual(['a', 'b']);
  end('a answered');
  expect(await noted()).toEqual(['a', 'b', 'a continues']);
  end('b');
  expect(await noted()).toEqual(['a', 'b', 'a continues']);
  end('a');
  expect(await noted()).toEqual(['a', 'b', 'a continues', 'c']);
});

test('a call that is cancelled while it waits for a person frees its place once', async () => {
  const { call, cancel, end, noted } = await open();
  call('ask', 'a');
  call('work', 'b');
  expect(await noted()).toEqual(['a', 'b']);
  cancel('a');
  end('a answered');
  call('work', 'c');
  expect(await noted()).toEqual(['a', 'b', 'a continues']);
  end('b');
  expect(await noted()).toEqual(['a', 'b', 'a continues', 'c']);
});

test('a call that is cancelled while it waits for its turn gives it to the next, which is no error, and a later one waits', async () => {
  const { call, cancel, end, noted, logged } = await open();
  for (const name of ['a', 'b', 'c']) call('work', name);
  cancel('b');
  end('a');
  call('work', 'd');
  expect(await noted()).toEqual(['a', 'c']);
  end('c');
  expect(await noted()).toEqual(['a', 'c', 'd']);
  expect(logged).toEqual([]);
});
