import { type Caller, defineServer, silentLog, toolDefiner } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectHttp, connectInProcess, type Peer } from './connect.ts';
import { described } from '@deskside/core/testing/described';

const seen: Caller[] = [];
const look = toolDefiner<null>()({
  ...described('look'),
  run(_, __, { caller }) {
    seen.push(caller);
    return 'seen';
  },
});
const definition = defineServer({ name: 'callers', version: '1.0.0', deps: null, tools: [look] });

let url = '';
let close: () => Promise<void>;
beforeAll(async () => {
  const serving = await serve(definition, {
    log: silentLog,
    ownsProcess: false,
    http: { port: 0, auth: 'none' },
  });
  url = serving.url ?? '';
  close = () => serving.close();
});
afterAll(() => close());

async function callerOf(peer: Peer, meta?: Record<string, unknown>): Promise<Caller> {
  await peer.callTool('look', {}, meta);
  const caller = seen.pop();
  if (caller === undefined) throw new Error('no call arrived');
  return caller;
}

test('two windows of one modern client on one endpoint share no session', async () => {
  await using one = await connectHttp(url, { era: 'modern' });
  await using two = await connectHttp(url, { era: 'modern' });
  expect((await callerOf(one)).session).toBeUndefined();
  expect((await callerOf(two)).session).toBeUndefined();
  const named = await callerOf(one, { threadId: 'one' });
  expect(named.session).toBeDefined();
  expect((await callerOf(two, { threadId: 'two' })).session).not.toBe(named.session);
  expect((await callerOf(one, { threadId: 'one' })).session).toBe(named.session);
});

/** Answers the question for roots. */
function hasRoots({ client }: Peer, answer: () => object): LegacyClient {
  if (!(client instanceof LegacyClient)) throw new Error('not a legacy client');
  client.setRequestHandler(ListRootsRequestSchema, answer);
  return client;
}

test.each(['stdio', 'http'] as const)(
  'the roots of a legacy client over %s can be asked for, and their changes are reported',
  async (over) => {
    await using peer = await connectInProcess(definition, {
      era: 'legacy',
      over,
      capabilities: { roots: { listChanged: true } },
    });
    let roots = [{ uri: 'file:///srv/shop' }];
    const client = hasRoots(peer, () => ({ roots }));
    // Over HTTP a question needs the stream of the client, on which core asks first.
    const canAsk = async () => over === 'stdio' || (await callerOf(peer)).project === 'shop';
    await expect.poll(canAsk).toBe(true);
    const caller = await callerOf(peer);
    expect(await caller.roots?.list()).toStrictEqual({ roots });
    const changes: string[] = [];
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    const stop = caller.roots?.onChanged(() => changes.push('stopped'));
    caller.roots?.onChanged(() => {
      changes.push('changed');
      resolve();
    });
    stop?.();
    roots = [{ uri: 'file:///srv/desk' }];
    await client.sendRootsListChanged();
    await changed;
    expect(changes).toStrictEqual(['changed']);
    expect(await caller.roots?.list()).toStrictEqual({ roots });
  },
);

test('a client of the modern era has no roots outside of a call', async () => {
  await using peer = await connectInProcess(definition, {
    era: 'modern',
    over: 'stdio',
    capabilities: { roots: {} },
  });
  expect((await callerOf(peer)).roots).toBeUndefined();
});

test.each(['legacy', 'modern'] as const)(
  'a %s client over stdio has the session of its connection',
  async (era) => {
    await using one = await connectInProcess(definition, { era, over: 'stdio' });
    await using two = await connectInProcess(definition, { era, over: 'stdio' });
    const first = await callerOf(one);
    expect(first.session).toMatch(/^stdio\//);
    expect((await callerOf(two)).session).not.toBe(first.session);
  },
);
