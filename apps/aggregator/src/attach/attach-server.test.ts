import type { Socket } from 'node:net';
import { defineServer, toolDefiner } from '@deskside/core';
import { latestRecord } from '@deskside/desktop';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { createAggregator } from '@deskside/gateway';
import { attachClient, attachDesk, HELLO } from '../testing/attach-desk.ts';
import { SELF } from '../testing/commands.ts';
import type { AttachServerOptions } from './attach-server.ts';
import type { Hello } from './hello.ts';
import { rpcLine } from './message.ts';
import { type Answer, deskPlace, greetDesk } from './protocol.ts';

const uid = process.getuid?.();
const placeOf = (data: string) => deskPlace(data, { uid });
const MINUTE_MS = 60_000;

/** A call that ends when the test says so, or when it is aborted. */
interface Held {
  readonly entered: PromiseWithResolvers<void>;
  readonly aborted: PromiseWithResolvers<void>;
  readonly answer: PromiseWithResolvers<string>;
}

function held(): Held {
  return {
    entered: Promise.withResolvers(),
    aborted: Promise.withResolvers(),
    answer: Promise.withResolvers(),
  };
}

const hold = toolDefiner<Held>()({
  name: 'hold',
  title: 'Hold',
  description: 'Waits for the test',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({}),
  run: async (_args, { entered, aborted, answer }, { signal }) => {
    signal.addEventListener('abort', () => aborted.resolve());
    entered.resolve();
    return answer.promise;
  },
});

async function open(data: string, call: Held, options: Partial<AttachServerOptions> = {}) {
  const definition = defineServer({ name: 'test', version: '1.0.0', deps: call, tools: [hold] });
  const aggregator = await createAggregator({ mounts: [{ id: 'test', definition }] });
  return attachDesk(data, { aggregator, ...options });
}

/** A desk with nothing before it. */
async function first(options: Partial<AttachServerOptions> = {}) {
  const data = temporaryFolder();
  const call = held();
  return { data, call, server: await open(data, call, options) };
}

const INITIALIZE = rpcLine({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});
const HOLD = rpcLine({ id: 2, method: 'tools/call', params: { name: 'test_hold' } });

/** The answer of the present desk. */
async function greeted(data: string, introduction: Hello): Promise<Answer | undefined> {
  const { record } = latestRecord(placeOf(data));
  const greeting = record && (await greetDesk(record, introduction, new AbortController().signal));
  greeting?.socket.destroy();
  return greeting?.answer;
}

async function statusOf(data: string): Promise<unknown> {
  const answer = await greeted(data, { kind: 'status', version: '1.0.0' });
  return answer?.kind === 'status' ? answer.status : undefined;
}

/** A session with an open call. */
async function attachHeld(data: string, call: Held) {
  const client = await attachClient(data);
  client.send(INITIALIZE);
  expect(await client.next()).toMatchObject({ id: 1, result: {} });
  client.send(HOLD);
  await call.entered.promise;
  return client;
}

test('a session has the label of its client from its first call on, whatever it calls', async () => {
  const { data } = await first();
  const client = await attachClient(data);
  client.send(INITIALIZE);
  await client.next();
  expect(await statusOf(data)).not.toHaveProperty('sessions.0.label');
  client.send(rpcLine({ id: 2, method: 'tools/call', params: { name: 'no_such_tool' } }));
  expect(await client.next()).toMatchObject({ id: 2, error: {} });
  expect(await statusOf(data)).toMatchObject({ sessions: [{ label: expect.stringContaining('x') }] });
});

test('a desk that a client started ends ten minutes after its last session, and leaves no socket', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { data, server } = await first();
  await vi.advanceTimersByTimeAsync(9 * MINUTE_MS);
  const client = await attachClient(data);
  await vi.advanceTimersByTimeAsync(20 * MINUTE_MS);
  client.send(INITIALIZE);
  expect(await client.next()).toMatchObject({ id: 1, result: {} });
  client.socket.destroy();
  await expect.poll(() => statusOf(data)).toMatchObject({ sessions: [], mounts: [{ id: 'test' }] });
  await vi.advanceTimersByTimeAsync(9 * MINUTE_MS);
  expect(await statusOf(data)).toMatchObject({ pid: 1 });
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  await server?.closed;
  expect(await greeted(data, HELLO)).toBeUndefined();
  // The next desk takes the next number.
  await open(data, held());
  expect(latestRecord(placeOf(data)).number).toBe(2);
});

test('a desk that a person started stays without a session', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { data } = await first({ isExplicit: true });
  (await attachClient(data)).socket.destroy();
  await expect.poll(() => statusOf(data)).toMatchObject({ sessions: [] });
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  expect(await statusOf(data)).toMatchObject({ pid: 1 });
});

test('killing a client aborts its calls', async () => {
  const { data, call } = await first();
  const client = await attachHeld(data, call);
  client.socket.destroy();
  await expect(call.aborted.promise).resolves.toBeUndefined();
});

test('a client that ends its input gets the answer to its open call', async () => {
  const { data, call } = await first();
  const client = await attachHeld(data, call);
  client.socket.end();
  call.answer.resolve('in time');
  expect(await client.next()).toMatchObject({ id: 2, result: { content: [{ text: 'in time' }] } });
  expect(await client.next()).toBeNull();
});

test('a client that ends its input and reads nothing of its answer leaves the desk', async () => {
  const { data, call } = await first();
  const { socket } = await attachHeld(data, call);
  socket.pause();
  socket.end();
  call.answer.resolve('x'.repeat(4 * 1024 * 1024));
  await expect.poll(() => statusOf(data), { timeout: 50_000 }).toMatchObject({ sessions: [] });
}, 60_000);

test('a desk that is stopped gives its open calls 1.5 s, and aborts them', async () => {
  const { data, call, server } = await first();
  const client = await attachHeld(data, call);
  await server?.close();
  expect(await client.next()).toBeNull();
  await call.aborted.promise;
});

test.each([
  ['was killed', (socket: Socket) => void socket.destroy()],
  ['does not read', (socket: Socket) => void socket.pause()],
])('a desk that is stopped ends, although a client with an answer on its way %s', async (_, fail) => {
  const { data, call, server } = await first();
  fail((await attachHeld(data, call)).socket);
  call.answer.resolve('x'.repeat(4 * 1024 * 1024));
  await expect(server?.close()).resolves.toBeUndefined();
});

const version = (version: string, more: Partial<AttachServerOptions> = {}): Partial<AttachServerOptions> => ({
  self: { ...SELF, version, pid: 2 },
  ...more,
});
const BY_PERSON = { isExplicit: true };

test.each([
  ['a newer desk', version('1.10.0'), version('1.9.0'), true],
  ['an older desk', version('0.9.0'), version('1.0.0'), false],
  ['a desk of the same version', version('1.0.0'), version('1.0.0'), false],
  ['an older desk that a person starts', version('0.9.0', BY_PERSON), version('1.0.0'), true],
  ['a second desk that a person starts', version('2.0.0', BY_PERSON), version('1.0.0', BY_PERSON), false],
  ['a newer desk, if a person started this one', version('2.0.0'), version('1.0.0', BY_PERSON), false],
] as const)('%s takes over, or does not', async (_, next, present, takesOver) => {
  const { data, server: former } = await first(present);
  const client = await attachClient(data);
  client.send(INITIALIZE);
  await client.next();
  const opened = await open(data, held(), next);
  expect(opened !== undefined).toBe(takesOver);
  if (takesOver) {
    await former?.closed;
    expect(await client.next()).toBeNull();
    await attachClient(data);
  } else {
    client.send(rpcLine({ id: 3, method: 'ping' }));
    expect(await client.next()).toMatchObject({ id: 3 });
  }
});

test('an older desk with an open call stays, and serves the newer client', async () => {
  const { data, call, server: former } = await first();
  const busy = await attachHeld(data, call);
  expect(await open(data, held(), version('1.1.0', BY_PERSON))).toBeUndefined();
  await attachClient(data, { ...HELLO, version: '1.1.0', session: 'attach/2' });
  call.answer.resolve('answered');
  expect(await busy.next()).toMatchObject({ id: 2, result: { content: [{ text: 'answered' }] } });
  expect(await greeted(data, { ...HELLO, version: '1.1.0' })).toStrictEqual({ kind: 'leaving' });
  await former?.closed;
});

test.each([
  [{ profile: 'work' }, 'the desk has no profile "work"'],
  [
    { settings: { TODO_DATABASE_URL: 'postgres://secret', DESKSIDE_MOUNTS: 'todo' } },
    'these variables differ from those of the desk: LOG_NOTIFY_FILE, TODO_DATABASE_URL; set them in deskside.toml instead',
  ],
  [
    { settings: { DESKSIDE_MOUNTS: 'todo', LOG_NOTIFY_FILE: 'x', DESKSIDE_LOG_LEVEL: 'debug' } },
    'these variables differ from those of the desk: DESKSIDE_LOG_LEVEL; set the same for all clients, then run "deskside stop"',
  ],
])('a client with %j is refused, and learns why, without values', async (hello, reason) => {
  const settings = { DESKSIDE_MOUNTS: 'todo', LOG_NOTIFY_FILE: 'x' };
  const { data } = await first({ settings });
  expect(await greeted(data, { ...HELLO, settings, ...hello })).toStrictEqual({ kind: 'refused', reason });
});

test('of several newer desks at once exactly one takes over', async () => {
  const { data, server: former } = await first();
  const servers = await Promise.all(Array.from({ length: 4 }, () => open(data, held(), version('2.0.0'))));
  expect(servers.filter((server) => server !== undefined)).toHaveLength(1);
  await attachClient(data, { ...HELLO, version: '2.0.0' });
  await former?.closed;
});
