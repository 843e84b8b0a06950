import { describe, expect, test } from 'vitest';
import { type Effect, RecordedConnection } from '../testing/recorded-connection.ts';
import { rpcLine } from './message.ts';

const INITIALIZE = rpcLine({
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2099-01-01', capabilities: {} },
});
const INITIALIZED = rpcLine({ method: 'notifications/initialized' });
const GREETING = rpcLine({
  id: 0,
  result: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true }, prompts: {}, resources: { listChanged: true } },
  },
});
const call = (id: number | string, meta?: object) =>
  rpcLine({
    id,
    method: 'tools/call',
    params: { name: 'add', ...(meta === undefined ? {} : { _meta: meta }) },
  });
const list = (id: number) => rpcLine({ id, method: 'tools/list' });
const answer = (id: number | string) => rpcLine({ id, result: {} });
const subscribe = (uri: string) => ({ method: 'resources/subscribe', params: { uri } });
const toDesk = (line: string): Effect => ({ kind: 'toDesk', line });
const toClient = (line: string): Effect => ({ kind: 'toClient', line });
const CONNECT: Effect = { kind: 'connect' };

/** Messages for the client, parsed. */
function received(effects: readonly Effect[]): unknown[] {
  return effects.flatMap((effect) => (effect.kind === 'toClient' ? [JSON.parse(effect.line)] : []));
}

function sent(effects: readonly Effect[]): { id?: string; method?: string; params?: unknown }[] {
  return effects.flatMap((effect) => (effect.kind === 'toDesk' ? [JSON.parse(effect.line)] : []));
}

/** A legacy client after its handshake. */
function initialized(): RecordedConnection {
  const connection = new RecordedConnection();
  connection.attached();
  connection.fromClient(INITIALIZE);
  connection.fromDesk(GREETING);
  connection.fromClient(INITIALIZED);
  return connection;
}

/** Attaches the client to the next desk. @returns what follows `initialize`, whose answer is dropped */
function replay(connection: RecordedConnection): readonly Effect[] {
  const effects = connection.attached();
  expect(sent(effects)[0]).toMatchObject({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25' },
  });
  expect(connection.fromDesk(GREETING)).toStrictEqual([]);
  return effects.slice(1);
}

test('lines pass unchanged in both directions, byte for byte', () => {
  const connection = initialized();
  const odd = '{ "id":7 , "method":"tools/call","jsonrpc":"2.0","params":{"name":"\\u0061"}}';
  expect(connection.fromClient(odd)).toStrictEqual([toDesk(odd)]);
  const reply = '{"result": {"x":1.0}, "id":7, "jsonrpc":"2.0"}';
  expect(connection.fromDesk(reply)).toStrictEqual([toClient(reply)]);
  expect(connection.fromClient('no JSON')).toStrictEqual([toDesk('no JSON')]);
  expect(connection.isIdle).toBe(true);
});

test('the result of a call is passed on unread, and answers it', () => {
  const connection = initialized();
  connection.fromClient(call('a'));
  const unread = '{"result":{not read,"jsonrpc":"2.0","id":"a"}';
  expect(connection.fromDesk(unread)).toStrictEqual([toClient(unread)]);
  // Nothing of the client is open, so the end of the desk is no failure of a call.
  expect(received(connection.lost())).toStrictEqual([]);
});

test('lines that come before a desk is attached reach it in their order', () => {
  const connection = new RecordedConnection();
  expect(connection.fromClient(INITIALIZE)).toStrictEqual([]);
  expect(connection.fromClient(list(1))).toStrictEqual([]);
  expect(connection.attached()).toStrictEqual([toDesk(INITIALIZE), toDesk(list(1))]);
});

describe('after a crash of the desk', () => {
  test('an open call is answered UNAVAILABLE and never sent again', () => {
    const connection = initialized();
    connection.fromClient(call(5));
    const effects = connection.lost();
    expect(received(effects)).toMatchObject([{ id: 5, result: { isError: true } }]);
    const [{ result }] = received(effects) as [{ result: { content: [{ text: string }] } }];
    expect(JSON.parse(result.content[0].text)).toStrictEqual({
      error: 'The desk ended before it answered.',
      code: 'UNAVAILABLE',
      hint: 'Check whether the call took effect before you repeat it.',
    });
    // A desk starts when the client needs it.
    expect(connection.phase).toBe('detached');
    expect(connection.fromClient(list(6))).toStrictEqual([CONNECT]);
    const replayed = sent(replay(connection)).map(({ method }) => method);
    expect(replayed).toStrictEqual(['notifications/initialized', 'tools/list']);
  });

  test('a modern call gets a complete result', () => {
    const connection = initialized();
    connection.fromClient(call(5, { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }));
    expect(received(connection.lost())).toMatchObject([
      { result: { resultType: 'complete', isError: true } },
    ]);
  });

  test('a request that changes nothing is sent once more, and then answered with an error', () => {
    const connection = initialized();
    connection.fromClient(list(5));
    expect(received(connection.lost())).toStrictEqual([]);
    expect(replay(connection).at(-1)).toStrictEqual(toDesk(list(5)));
    expect(received(connection.lost())).toMatchObject([{ id: 5, error: { data: { code: 'UNAVAILABLE' } } }]);
    expect(connection.isIdle).toBe(true);
  });

  test('the next desk gets initialize, the log level and the subscriptions again; the client gets changes', () => {
    const connection = initialized();
    const level = { method: 'logging/setLevel', params: { level: 'debug' } };
    connection.fromClient(rpcLine({ id: 1, ...level }));
    connection.fromClient(rpcLine({ id: 2, ...subscribe('a://1') }));
    connection.fromClient(rpcLine({ id: 3, ...subscribe('a://2') }));
    connection.fromClient(rpcLine({ id: 4, method: 'resources/unsubscribe', params: { uri: 'a://1' } }));
    for (const id of [1, 2, 3, 4]) connection.fromDesk(answer(id));
    connection.lost();
    const effects = replay(connection);
    const replayed = sent(effects);
    expect(replayed).toMatchObject([{ method: 'notifications/initialized' }, level, subscribe('a://2')]);
    expect(received(effects)).toMatchObject([
      { method: 'notifications/tools/list_changed' },
      { method: 'notifications/resources/list_changed' },
    ]);
    // The client did not ask for these answers.
    for (const { id } of replayed)
      if (id !== undefined) expect(connection.fromDesk(answer(id))).toStrictEqual([]);
  });

  test('an initialize without an answer goes to the next desk, and initialized may come between two desks', () => {
    const connection = new RecordedConnection();
    connection.attached();
    connection.fromClient(INITIALIZE);
    expect(connection.lost()).toStrictEqual([CONNECT]);
    expect(connection.attached()).toStrictEqual([toDesk(INITIALIZE)]);
    expect(connection.fromDesk(GREETING)).toStrictEqual([toClient(GREETING)]);
    connection.lost();
    connection.fromClient(INITIALIZED);
    expect(sent(replay(connection))).toMatchObject([{ method: 'notifications/initialized' }]);
  });

  test('a question of the old desk is closed once, unless it was answered or cancelled before', () => {
    const connection = initialized();
    const [open, answered, cancelled] = ['a/0', 'a/1', 'a/2'].map((id) =>
      rpcLine({ id, method: 'elicitation/create', params: {} }),
    );
    for (const line of [open, answered, cancelled]) {
      expect(connection.fromDesk(line ?? '')).toStrictEqual([toClient(line ?? '')]);
    }
    expect(connection.fromClient(answer('a/1'))).toStrictEqual([toDesk(answer('a/1'))]);
    const cancel = rpcLine({ method: 'notifications/cancelled', params: { requestId: 'a/2' } });
    expect(connection.fromDesk(cancel)).toStrictEqual([toClient(cancel)]);
    expect(received(connection.lost())).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: 'a/0' } },
    ]);
    replay(connection);
    expect(received(connection.lost())).toStrictEqual([]);
  });
});

describe('if no desk can be reached', () => {
  test('waiting requests get an error that says that nothing happened, and the next request tries again', () => {
    const connection = initialized();
    connection.lost();
    connection.fromClient(call(5));
    connection.fromClient(list(6));
    const effects = connection.failed();
    expect(received(effects)).toMatchObject([
      { id: 5, result: { isError: true } },
      { id: 6, error: {} },
    ]);
    expect(JSON.stringify(effects)).toContain('was not carried out');
    expect(connection.fromClient(rpcLine({ method: 'notifications/roots/list_changed' }))).toStrictEqual([]);
    expect(connection.fromClient(call(7))).toStrictEqual([CONNECT]);
    expect(replay(connection).at(-1)).toStrictEqual(toDesk(call(7)));
  });

  test('a cancelled request that waits is withdrawn', () => {
    const connection = initialized();
    connection.lost();
    connection.fromClient(call(5));
    connection.fromClient(rpcLine({ method: 'notifications/cancelled', params: { requestId: 5 } }));
    expect(connection.isIdle).toBe(true);
    expect(received(connection.failed())).toStrictEqual([]);
  });
});

describe('subscriptions of the modern era', () => {
  test('one continues at the next desk', () => {
    const connection = new RecordedConnection();
    connection.attached();
    const listen = rpcLine({ id: 9, method: 'subscriptions/listen', params: {} });
    connection.fromClient(listen);
    expect(connection.lost()).toStrictEqual([]);
    expect(connection.attached()).toStrictEqual([toDesk(listen)]);
    connection.lost();
    expect(connection.attached()).toStrictEqual([toDesk(listen)]);
  });

  test('a modern client learns at the next desk that its lists may have changed', () => {
    const connection = new RecordedConnection();
    connection.attached();
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 'listen:0' };
    const notifications = { toolsListChanged: true, resourcesListChanged: true };
    const params = { notifications, _meta };
    const confirmed = rpcLine({ method: 'notifications/subscriptions/acknowledged', params });
    connection.fromClient(
      rpcLine({ id: 'listen:0', method: 'subscriptions/listen', params: { notifications } }),
    );
    expect(received(connection.fromDesk(confirmed))).toEqual([JSON.parse(confirmed)]);
    connection.lost();
    connection.attached();
    expect(received(connection.fromDesk(confirmed))).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } },
      { jsonrpc: '2.0', method: 'notifications/resources/list_changed', params: { _meta } },
    ]);
  });
});
