import { InMemoryTransport, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { createLog } from '../../log.ts';
import { sharedBy } from './connection.ts';
import { createServer } from './protocol-server.ts';
import { serverOf } from '../../testing/surface.ts';

const form = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } } as const;

/** A client without a library, connected to its own server object. */
async function connect() {
  const lines: string[] = [];
  const withdrawal = new AbortController();
  const definition = serverOf('ask', async ({ input }) => {
    const asking = input.elicit?.(form, withdrawal.signal);
    return (await asking?.catch(() => undefined))?.action ?? 'withdrawn';
  });
  const connection = { era: 'legacy', transport: 'stdio', principal: { user: 'owner' } } as const;
  const log = createLog({ level: 'info', write: (line) => lines.push(line) });
  const [client, transport] = InMemoryTransport.createLinkedPair();
  const received: JSONRPCMessage[] = [];
  client.onmessage = (message) => void received.push(message);
  await createServer(definition, connection, sharedBy(log, undefined)).connect(transport);
  const send = (message: object) => client.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo };
  await send({ id: 'hello', method: 'initialize', params });
  const asked = () => received.filter((message) => 'method' in message && 'id' in message);
  let calls = 0;
  return {
    send,
    withdraw: () => withdrawal.abort(),
    ignored: () => lines.filter((line) => line.includes('answer ignored')),
    /** @returns the id of the question */
    async call(): Promise<RequestId> {
      calls += 1;
      await send({ id: `call ${calls}`, method: 'tools/call', params: { name: 'ask', arguments: {} } });
      await expect.poll(asked).toHaveLength(calls);
      return (asked().at(-1) as { id: RequestId }).id;
    },
    answer: (id: RequestId, action: string) => send({ id, result: { action } }),
    outcomes: () =>
      received.flatMap((message) =>
        'result' in message && Array.isArray(message.result['content'])
          ? [(message.result['content'] as { text: string }[])[0]?.text]
          : [],
      ),
    withdrawn: () =>
      received.flatMap((message) =>
        'method' in message && message.method === 'notifications/cancelled'
          ? [message.params?.['requestId']]
          : [],
      ),
  };
}

test('only the id of an open question answers it, once; every other answer is logged and changes nothing', async () => {
  const [peer, other] = [await connect(), await connect()];
  const [id, ofOther] = [await peer.call(), await other.call()];
  expect(id).toMatch(/^[0-9a-f-]{36}\/0$/);
  expect(ofOther).not.toBe(id);
  for (const wrong of [0, '0', ofOther, `${String(id).slice(0, 36)}/1`]) await peer.answer(wrong, 'decline');
  await peer.send({ id: 0, error: { code: -32_603, message: 'no' } });
  expect(peer.ignored()).toHaveLength(5);
  expect(peer.outcomes()).toEqual([]);

  await peer.answer(id, 'accept');
  await expect.poll(peer.outcomes).toEqual(['accept']);
  const second = await peer.call();
  await peer.answer(id, 'accept');
  await peer.answer(second, 'decline');
  await expect.poll(peer.outcomes).toEqual(['accept', 'decline']);
  expect(peer.ignored()).toHaveLength(6);
});

test('a withdrawn question is withdrawn by its own id, and a late answer to it is ignored', async () => {
  const peer = await connect();
  const id = await peer.call();
  peer.withdraw();
  await expect.poll(peer.outcomes).toEqual(['withdrawn']);
  expect(peer.withdrawn()).toEqual([id]);
  await peer.answer(id, 'accept');
  expect(peer.ignored()).toHaveLength(1);
});

test('progress and cancellations with the id of a question end neither the question nor its call', async () => {
  const peer = await connect();
  const id = await peer.call();
  for (const progressToken of [0, id]) {
    await peer.send({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
  }
  for (const requestId of [0, id]) {
    await peer.send({ method: 'notifications/cancelled', params: { requestId } });
  }
  await peer.answer(id, 'accept');
  await expect.poll(peer.outcomes).toEqual(['accept']);
  expect(peer.withdrawn()).toEqual([]);
});
