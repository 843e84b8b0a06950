import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { defineServer, silentLog, toolDefiner } from '@deskside/core';
import { latestRecord } from '@deskside/desktop';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { createAggregator } from '@deskside/gateway';
import { SELF } from '../testing/commands.ts';
import { type AttachServer, type AttachServerOptions, openAttachServer } from './attach-server.ts';
import type { Hello } from './hello.ts';
import { rpcLine } from './message.ts';
import { deskPlace, greetDesk } from './protocol.ts';

const uid = process.getuid?.();
const placeOf = (data: string) => deskPlace(data, { uid });
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

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
  const server = await openAttachServer({
    self: SELF,
    data,
    settings: {},
    isExplicit: false,
    user: 'ada',
    log: silentLog,
    aggregator: await createAggregator({ mounts: [{ id: 'test', definition }] }),
    idleMs: HOUR_MS,
    ...options,
  });
  if (server !== undefined) onTestFinished(() => server.close());
  return server;
}

const session: Hello = {
  kind: 'session',
  protocol: 1,
  version: '1.0.0',
  session: 'attach/1',
  pid: 1,
  env: {},
  settings: {},
};
const INITIALIZE = rpcLine({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});
const HOLD = rpcLine({ id: 2, method: 'tools/call', params: { name: 'test_hold' } });

interface Attached {
  readonly socket: Socket;
  next(): Promise<unknown>;
  send(line: string): void;
}

async function attach(data: string, introduction = session): Promise<Attached> {
  const { record } = latestRecord(placeOf(data));
  const greeting = record && (await greetDesk(record, introduction, new AbortController().signal));
  if (greeting === undefined) throw new Error('no desk');
  expect(greeting.answer).toStrictEqual({ kind: 'welcome' });
  const { socket } = greeting;
  onTestFinished(() => void socket.destroy());
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    socket,
    next: async () => JSON.parse((await lines.next()).value ?? 'null'),
    send: (line) => socket.write(`${line}\n`),
  };
}

async function statusOf(data: string): Promise<unknown> {
  const { record } = latestRecord(placeOf(data));
  const introduction = { kind: 'status', protocol: 1, version: '1.0.0' } as const;
  const greeting = record && (await greetDesk(record, introduction, new AbortController().signal));
  return greeting?.answer.kind === 'status' ? greeting.answer.status : undefined;
}

/** A session with an open call. */
async function attachHeld(data: string, call: Held): Promise<Attached> {
  const client = await attach(data);
  client.send(INITIALIZE);
  expect(await client.next()).toMatchObject({ id: 1, result: {} });
  client.send(HOLD);
  await call.entered.promise;
  return client;
}

test('a desk that a client started ends when it had no session for a while, and leaves no socket', async () => {
  const data = temporaryFolder();
  const server = await open(data, held(), { idleMs: 1 });
  await server?.closed;
  const { record } = latestRecord(placeOf(data));
  expect(record && (await greetDesk(record, session, new AbortController().signal))).toBeUndefined();
  // The next desk takes the next number.
  await open(data, held());
  expect(latestRecord(placeOf(data)).number).toBe(2);
});

test('a session has the label of its client from its first call on, whatever it calls', async () => {
  const data = temporaryFolder();
  await open(data, held());
  const client = await attach(data);
  client.send(INITIALIZE);
  await client.next();
  expect(await statusOf(data)).not.toHaveProperty('sessions.0.label');
  client.send(rpcLine({ id: 2, method: 'tools/call', params: { name: 'no_such_tool' } }));
  expect(await client.next()).toMatchObject({ id: 2, error: {} });
  expect(await statusOf(data)).toMatchObject({ sessions: [{ label: expect.stringContaining('x') }] });
});

test('a desk that a client started ends ten minutes after its last session', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const data = temporaryFolder();
  const server = await open(data, held(), { idleMs: 10 * MINUTE_MS });
  await vi.advanceTimersByTimeAsync(9 * MINUTE_MS);
  const client = await attach(data);
  await vi.advanceTimersByTimeAsync(20 * MINUTE_MS);
  client.send(INITIALIZE);
  expect(await client.next()).toMatchObject({ id: 1, result: {} });
  client.socket.destroy();
  await expect.poll(() => statusOf(data)).toMatchObject({ sessions: [], mounts: [{ id: 'test' }] });
  await vi.advanceTimersByTimeAsync(9 * MINUTE_MS);
  expect(await statusOf(data)).toMatchObject({ state: 'serving' });
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  await server?.closed;
});

test('a desk that a person started stays without a session', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const data = temporaryFolder();
  await open(data, held(), { isExplicit: true });
  (await attach(data)).socket.destroy();
  await expect.poll(() => statusOf(data)).toMatchObject({ sessions: [] });
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  expect(await statusOf(data)).toMatchObject({ state: 'serving' });
});

test('a desk that no client can find ends with its last session', async () => {
  const data = temporaryFolder();
  const server = await open(data, held());
  const client = await attach(data);
  writeFileSync(join(placeOf(data).folder, '99.json'), '{}', { mode: 0o600 });
  client.socket.destroy();
  await expect(server?.closed).resolves.toBeUndefined();
});

test('killing a client aborts its calls', async () => {
  const data = temporaryFolder();
  const call = held();
  await open(data, call);
  const client = await attachHeld(data, call);
  client.socket.destroy();
  await expect(call.aborted.promise).resolves.toBeUndefined();
});

test('a client that ends its input gets the answer to its open call', async () => {
  const data = temporaryFolder();
  const call = held();
  await open(data, call);
  const client = await attachHeld(data, call);
  client.socket.end();
  call.answer.resolve('in time');
  expect(await client.next()).toMatchObject({ id: 2, result: { content: [{ text: 'in time' }] } });
  expect(await client.next()).toBeNull();
});

test('a desk that is stopped lists the calls that it did not answer', async () => {
  const data = temporaryFolder();
  const call = held();
  const server = await open(data, call);
  const client = await attachHeld(data, call);
  await server?.close();
  expect(await client.next()).toStrictEqual({ deskside: { bye: { open: [2], reconnect: false } } });
  await call.aborted.promise;
});

const newer = (version: string): Partial<AttachServerOptions> => ({
  self: { ...SELF, version, pid: 2 },
});

function pageThat(opens: boolean): NonNullable<AttachServerOptions['page']> {
  const agents = { list: () => [], process: () => undefined };
  return { agents, isOpen: false, openForPerson: async () => opens };
}

test('a desk hands over to a newer one when no call is open, with all its sessions at once', async () => {
  const data = temporaryFolder();
  const call = held();
  const former = await open(data, call);
  const busy = await attachHeld(data, call);
  const idle = await attach(data, { ...session, session: 'attach/2' });
  expect(await open(data, held(), newer('1.0.0'))).toBeUndefined();
  expect(await open(data, held(), newer('0.9.0'))).toBeUndefined();
  expect(await open(data, held(), newer('1.1.0'))).toBeDefined();
  // The desk still serves its sessions. New clients find the newer desk.
  for (const client of [busy, idle]) client.send(rpcLine({ id: 3, method: 'ping' }));
  for (const client of [busy, idle]) expect(await client.next()).toMatchObject({ id: 3 });
  await attach(data, { ...session, session: 'attach/3' });
  call.answer.resolve('answered first');
  expect(await busy.next()).toMatchObject({ id: 2, result: { content: [{ text: 'answered first' }] } });
  const bye = { deskside: { bye: { open: [], reconnect: true } } };
  for (const client of [busy, idle]) expect(await client.next()).toStrictEqual(bye);
  await former?.closed;
});

test('a desk that hands over answers only who asks for its status or stops it', async () => {
  const data = temporaryFolder();
  const call = held();
  const { promise: leaves, resolve } = Promise.withResolvers<void>();
  const info = (message: string) => message === 'desk hands over' && resolve();
  await open(data, call, { log: { ...silentLog, info } });
  await attachHeld(data, call);
  const { record } = latestRecord(placeOf(data));
  const base = { protocol: 1, version: '1.4.0' };
  const introductions: readonly Hello[] = [
    session,
    { kind: 'replace', ...base, isExplicit: false },
    { kind: 'open', ...base },
    { kind: 'status', ...base },
    { kind: 'stop', ...base },
  ];
  // Connected before, because no process finds the desk afterwards.
  const sockets = introductions.map(() => connect(record?.address ?? ''));
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  expect(await open(data, held(), newer('1.1.0'))).toBeDefined();
  await leaves;
  const answers: unknown[] = [];
  for (const [index, socket] of sockets.entries()) {
    socket.write(`${JSON.stringify({ ...introductions[index], secret: record?.secret })}\n`);
    const [line] = await once(createInterface({ input: socket }), 'line');
    answers.push(JSON.parse(line).kind);
  }
  expect(answers).toStrictEqual(['leaving', 'leaving', 'leaving', 'status', 'stopping']);
  call.answer.resolve('');
});

test.each([
  // Never its link: an agent can ask, too.
  [
    'that no browser opens',
    { page: pageThat(false) },
    { kind: 'refused', reason: 'no browser could be opened' },
  ],
  ['that the page is open', { page: pageThat(true) }, { kind: 'opened' }],
  ['that the desk has no page', {}, { kind: 'refused', reason: 'the desk has no page' }],
] as const)('a person who wants the page learns %s', async (_, options, answer) => {
  const data = temporaryFolder();
  await open(data, held(), options);
  const { record } = latestRecord(placeOf(data));
  const introduction = { kind: 'open', protocol: 1, version: '1.0.0' } as const;
  const greeting = record && (await greetDesk(record, introduction, new AbortController().signal));
  expect(greeting?.answer).toStrictEqual(answer);
});

test('a call that is open for too long does not hold up the handover', async () => {
  const data = temporaryFolder();
  const call = held();
  const former = await open(data, call, { handoverMs: 1 });
  const client = await attachHeld(data, call);
  await open(data, held(), newer('2.0.0'));
  expect(await client.next()).toStrictEqual({ deskside: { bye: { open: [2], reconnect: true } } });
  await former?.closed;
});

test('a desk that took over hands over to a newer one, and never to an older one', async () => {
  const data = temporaryFolder();
  await open(data, held());
  expect(await open(data, held(), newer('1.1.0'))).toBeDefined();
  expect(await open(data, held(), newer('1.2.0'))).toBeDefined();
  expect(await open(data, held(), newer('1.1.0'))).toBeUndefined();
  await attach(data, { ...session, version: '1.2.0' });
});

test('of several newer desks at once exactly one takes over', async () => {
  const data = temporaryFolder();
  const former = await open(data, held());
  const servers = await Promise.all(Array.from({ length: 4 }, () => open(data, held(), newer('2.0.0'))));
  expect(servers.filter((server) => server !== undefined)).toHaveLength(1);
  await attach(data, { ...session, version: '2.0.0' });
  await former?.closed;
});

test('if the newer desk ends before it is ready, the former stays in service', async () => {
  const data = temporaryFolder();
  await open(data, held());
  const { record } = latestRecord(placeOf(data));
  const replace = { kind: 'replace', protocol: 1, version: '3.0.0', isExplicit: false } as const;
  const greeting = record && (await greetDesk(record, replace, new AbortController().signal));
  expect(greeting?.answer.kind).toBe('yield');
  greeting?.socket.destroy();
  await attach(data);
  await expect.poll(() => open(data, held(), newer('3.0.0'))).toBeDefined();
});

test('of 8 desks that start at once exactly one serves', async () => {
  const data = temporaryFolder();
  const servers = await Promise.all(Array.from({ length: 8 }, () => open(data, held())));
  expect(servers.filter((server): server is AttachServer => server !== undefined)).toHaveLength(1);
  await attach(data);
});

test.each([
  ['a wrong secret', JSON.stringify({ ...session, secret: 'x'.repeat(43) })],
  ['a secret of another length', JSON.stringify({ ...session, secret: '' })],
  ['no hello', rpcLine({ id: 1, method: 'ping' })],
  ['no JSON', 'hello'],
])('a connection that begins with %s is closed without an answer', async (_, line) => {
  const data = temporaryFolder();
  await open(data, held());
  const { record } = latestRecord(placeOf(data));
  const socket = connect(record?.address ?? '');
  let received = '';
  socket.on('data', (chunk) => (received += chunk)).on('error', () => undefined);
  socket.write(`${line}\n`);
  await once(socket, 'close');
  expect(received).toBe('');
});

test('messages that come in one piece with the hello are served', async () => {
  const data = temporaryFolder();
  await open(data, held());
  const { record } = latestRecord(placeOf(data));
  const socket = connect(record?.address ?? '');
  onTestFinished(() => void socket.destroy());
  socket.write(`${JSON.stringify({ ...session, secret: record?.secret })}\n${INITIALIZE}\n`);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? 'null');
  expect(await next()).toStrictEqual({ kind: 'welcome' });
  expect(await next()).toMatchObject({ id: 1, result: {} });
});

test('a desk with a long path and one after a damaged record can be reached', async () => {
  const data = join(temporaryFolder(), 'x'.repeat(100));
  const folder = placeOf(data).folder;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, '5.json'), '{"address":"/ru', { mode: 0o600 });
  await open(data, held());
  await attach(data);
  const { number, record } = latestRecord(placeOf(data));
  expect(number).toBe(6);
  expect(record?.address).toContain(`deskside-${uid}`);
});
