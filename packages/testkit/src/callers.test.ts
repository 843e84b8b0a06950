import { type Caller, defineServer, toolDefiner } from '@deskside/core';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { connectInProcess, type Peer } from './connect.ts';
import { described } from '@deskside/core/testing/described';

const seen: Caller[] = [];
const look = toolDefiner<null>()({
  ...described('look'),
  run(_, __, { caller }) {
    seen.push(caller);
    return 'seen';
  },
});
const capabilities = { roots: { listChanged: true } };
const definition = defineServer({ name: 'callers', version: '1.0.0', deps: null, tools: [look] });

async function callerOf(peer: Peer): Promise<Caller> {
  await peer.callTool('look');
  const caller = seen.pop();
  if (caller === undefined) throw new Error('no call arrived');
  return caller;
}

test.each(['stdio', 'http'] as const)(
  'the roots of a legacy client over %s can be asked for, and their changes are reported',
  async (over) => {
    await using peer = await connectInProcess(definition, { era: 'legacy', over, capabilities });
    let roots = [{ uri: 'file:///srv/shop' }];
    const { client } = peer;
    if (!(client instanceof LegacyClient)) throw new Error('not a legacy client');
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
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
  for (const over of ['stdio', 'http'] as const) {
    await using peer = await connectInProcess(definition, { era: 'modern', over, capabilities });
    expect((await callerOf(peer)).roots, over).toBeUndefined();
  }
});
