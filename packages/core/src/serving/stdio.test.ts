import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLog, silentLog } from '../log.ts';
import { limitsOf } from './limits.ts';
import { serve } from './serve.ts';
import { echoServer, gate } from '../testing/echo-server.ts';
import { GRACE_MS } from '../base/values.ts';
import { INITIALIZE, lineClient, toolCall } from '../testing/wire.ts';

async function connect(definition = echoServer(), log = silentLog) {
  const { streams, ...client } = lineClient();
  const serving = await serve(definition, { ownsProcess: false, log, streams });
  onTestFinished(() => serving.close());
  /** Ends the input. Resolves when the server has noticed it. */
  const end = async () => {
    const seen = once(streams.input, 'close');
    streams.input.end();
    await seen;
  };
  return { serving, ...client, end };
}

async function initialized(definition = echoServer()) {
  const wire = await connect(definition);
  wire.send(INITIALIZE);
  expect(await wire.next()).toMatchObject({ id: 1, result: { serverInfo: { name: 'echo' } } });
  return wire;
}

const MB = 1024 * 1024;

test.each([
  ['its id first', `{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"${'x'.repeat(20 * MB)}"}}`, 7],
  [
    'its id last',
    `{"method":"x","params":{"id":9,"a":"${'x'.repeat(20 * MB)}"},"jsonrpc":"2.0","id":"last"}`,
    'last',
  ],
  ['a nested id only', `{"method":"x","params":{"a":"${'x'.repeat(20 * MB)}","id":9}}`, null],
  ['no JSON', 'x'.repeat(20 * MB), null],
  ['an id that is not JSON', `{"id":007,"method":"x","params":{"a":"${'x'.repeat(20 * MB)}"}}`, null],
])('a line of 20 MB with %s is answered with an error and skipped', async (_, line, id) => {
  const wire = await initialized();
  wire.send(line);
  expect(await wire.next()).toStrictEqual({
    jsonrpc: '2.0',
    id,
    error: { code: -32_600, message: 'Message exceeds 16 MB' },
  });
  wire.send(toolCall(2, 'echo', { text: 'hi' }));
  expect(await wire.next()).toMatchObject({ id: 2, result: { structuredContent: { text: 'hi' } } });
});

test('a line below the limit is served', async () => {
  const wire = await initialized();
  wire.send(toolCall(2, 'echo', { text: 'x'.repeat(15 * MB) }));
  expect(await wire.next()).toMatchObject({ id: 2, result: { structuredContent: { user: 'owner' } } });
});

test.each([
  ['{"jsonrpc":', null, -32_700],
  ['hello', null, -32_700],
  ['42', null, -32_600],
  ['[]', null, -32_600],
  ['{"jsonrpc":"1.0","id":6,"method":"ping"}', 6, -32_600],
])(
  'the line %s is answered with a JSON-RPC error, and the next request is served',
  async (line, id, code) => {
    const wire = await initialized();
    wire.send(line);
    expect(await wire.next()).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
    wire.send(toolCall(2, 'echo', { text: 'hi' }));
    expect(await wire.next()).toMatchObject({ id: 2, result: {} });
  },
);

test('blank lines and carriage returns are ignored', async () => {
  const wire = await initialized();
  wire.send('\n\r\n   ');
  wire.send(`${JSON.stringify(toolCall(2, 'echo', { text: 'hi' }))}\r`);
  expect(await wire.next()).toMatchObject({ id: 2, result: {} });
});

test('cancelled calls that never end leave room for other calls', async () => {
  const wire = await initialized();
  const ids = Array.from({ length: limitsOf().callsPerSession }, (_, index) => index + 2);
  for (const id of ids) wire.send(toolCall(id, 'wait'));
  wire.send(toolCall('last', 'echo', { text: 'hi' }));
  for (const requestId of ids) {
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }
  expect(await wire.next()).toMatchObject({ id: 'last', result: { structuredContent: { text: 'hi' } } });
});

test('a call that does not finish within the grace time is aborted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const deps = gate();
  const wire = await initialized(echoServer(deps));
  wire.send(toolCall(2, 'wait'));
  await deps.entered.promise;
  await wire.end();
  vi.advanceTimersByTime(GRACE_MS);
  await wire.serving.closed;
  await expect(deps.aborted.promise).resolves.toBeUndefined();
  deps.opened.resolve();
});

test('a cancelled call is aborted, and the server neither answers it nor waits for it', async () => {
  const deps = gate();
  const wire = await initialized(echoServer(deps));
  wire.send(toolCall(2, 'wait'));
  await deps.entered.promise;
  wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
  await deps.aborted.promise;
  deps.opened.resolve();
  wire.send(toolCall(3, 'echo', { text: 'next' }));
  expect(await wire.next()).toMatchObject({ id: 3 });
  await wire.end();
  await wire.serving.closed;
});

function fail(): never {
  throw new Error('no instructions');
}

test('instructions that throw are an internal error, and the log has the reason', async () => {
  const logged: string[] = [];
  const log = createLog({ level: 'error', write: (line) => logged.push(line) });
  const { send, next } = await connect({ ...echoServer(), instructions: fail }, log);
  send(INITIALIZE);
  expect(await next()).toMatchObject({ id: 1, error: { code: -32_603 } });
  expect(logged).toEqual([expect.stringContaining('no instructions')]);
});
