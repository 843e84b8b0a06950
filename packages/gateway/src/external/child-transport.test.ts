import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { manualTimer } from '../testing/fake.ts';
import { ScriptedChild } from '../testing/scripted-child.ts';
import { ChildTransport } from './child-transport.ts';
import { OrphanGuard } from './orphan-guard.ts';

async function started(maxMessageBytes = 1000) {
  const child = new ScriptedChild();
  const timer = manualTimer();
  const events: string[] = [];
  const messages: JSONRPCMessage[] = [];
  const transport = new ChildTransport({
    command: 'scripted',
    args: [],
    env: {},
    maxMessageBytes,
    guard: new OrphanGuard(),
    onStderr: (line) => events.push(`stderr ${line}`),
    startChild: () => child,
    clock: { after: timer.startTimer },
  });
  transport.onclose = () => events.push('closed');
  transport.onerror = ({ message }) => events.push(message);
  transport.onmessage = (message) => messages.push(message);
  const starting = transport.start();
  child.emit('spawn');
  await starting;
  return { child, timer, transport, events, messages };
}

const REQUEST = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
const END_MS = 700;
const text = (length: number) => 'x'.repeat(length);

test('a line that is no message is reported, and a long line on stderr is cut', async () => {
  const { child, events } = await started();
  child.stdout.write('Hello!\n\n');
  await expect.poll(() => events).toStrictEqual(['not a message: Hello!']);
  child.stderr.write(`ready\n${text(5000)}\n`);
  await expect.poll(() => events.slice(1)).toStrictEqual(['stderr ready', `stderr ${text(1024)}…`]);
});

test('an answer is read behind text without a line feed, unless it also comes by itself', async () => {
  const { child, timer, transport } = await started();
  const { signal } = new AbortController();
  const calls = [1, 2].map(() => transport.request('tools/call', { name: 'a' }, { signal }));
  const ids = String(child.stdin.read()).match(/(?<="id":)\d+/g) ?? [];
  const answer = (call: number, value: string) =>
    `{"jsonrpc":"2.0","id":${ids[call]},"result":{"value":"${value}"}}\n`;
  child.stdout.write(`got {"jsonrpc":"2.0","id":${ids[0]},"method":"x","result":{}}\n`);
  child.stdout.write(
    `[{"jsonrpc":"2.0","id":${ids[0]}}\nLoading…${answer(0, 'late')}sent ${answer(1, 'log')}`,
  );
  await expect.poll(timer.running).toStrictEqual([END_MS, END_MS]);
  child.stdout.write(answer(1, 'own'));
  expect(await calls[1]).toStrictEqual({ value: 'own' });
  timer.ring(END_MS);
  expect(await calls[0]).toStrictEqual({ value: 'late' });
});

test.each([
  [3, null, 'exit code 3'],
  [null, 'SIGKILL', 'SIGKILL'],
] as const)(
  'a program that ends with %j and %j is reported, and the rest of its group is ended',
  async (code, signal, exit) => {
    const { child, timer, transport, events } = await started();
    expect(transport.exit).toBeUndefined();
    child.end(code, signal);
    expect(transport.exit).toBe(exit);
    expect(events).toStrictEqual(['closed']);
    await expect(transport.send(REQUEST)).rejects.toThrow('The server has ended.');
    expect(child.signals).toStrictEqual(['SIGTERM']);
    timer.ring(END_MS);
    expect(child.signals).toStrictEqual(['SIGTERM', 'SIGKILL']);
    expect(child.stdout.destroyed).toBe(true);
  },
);

test('closing ends the input, and waits for the program before it signals', async () => {
  const { child, timer, transport } = await started();
  child.stdin.on('finish', () => child.end(0));
  await transport.close();
  expect(child.stdin.writableEnded).toBe(true);
  expect(timer.running()).toStrictEqual([END_MS]);
  // It was closed, so it has not ended by itself.
  expect(transport.exit).toBeUndefined();
});

test('a program that ignores the end of its input gets SIGTERM, then SIGKILL', async () => {
  const { child, timer, transport, events } = await started();
  const closing = transport.close();
  for (const signals of [[], ['SIGTERM'], ['SIGTERM', 'SIGKILL']]) {
    await expect.poll(timer.running).toStrictEqual([END_MS]);
    expect(child.signals).toStrictEqual(signals);
    timer.ring(END_MS);
  }
  await closing;
  expect(child.stdin.destroyed).toBe(true);
  expect(events).toStrictEqual([]);
});

const SECOND = { ...REQUEST, id: 2 } as const;
const LISTEN = { jsonrpc: '2.0', id: 'a', method: 'subscriptions/listen', params: {} } as const;
const CANCEL = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } as const;

test.each([
  ['has answered', [REQUEST], '"1"', []],
  ['has answered another one', [REQUEST, SECOND], '2', ['SIGTERM']],
  ['has only an open subscription', [REQUEST, LISTEN], '1', []],
  ['has answered a call after a cancelled one', [REQUEST, CANCEL, SECOND], '2', []],
])('a program that %s gets SIGTERM at once only if a call still waits', async (_, sent, id, signals) => {
  const { child, transport, messages } = await started();
  for (const message of sent) await transport.send(message);
  child.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{}}\n`);
  await expect.poll(() => messages).toHaveLength(1);
  const closing = transport.close();
  expect(child.signals).toStrictEqual(signals);
  child.end(0);
  await closing;
});

test.each<readonly [string, string, number | string]>([
  ['first', `{"jsonrpc":"2.0","id":7,"result":{"text":"${text(2000)}"}}`, 7],
  ['first, a text', `{"id":"seven","jsonrpc":"2.0","result":{"text":"${text(2000)}"}}`, 'seven'],
  ['last', `{"jsonrpc":"2.0","result":{"id":8,"text":"${text(2000)}"},"id":7}`, 7],
])('an answer that is too long becomes an error of its call: its id is %s', async (_, line, id) => {
  const { child, messages, transport } = await started();
  await transport.send({ ...REQUEST, id });
  child.stdout.write(`${line}\n`);
  await expect
    .poll(() => messages)
    .toMatchObject([{ id, error: { message: 'The answer is longer than 1000 bytes.' } }]);
});

test.each([
  ['without id', `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${text(2000)}"}}`],
  ['with an id that is not JSON', `{"id":007,"jsonrpc":"2.0","result":{"text":"${text(2000)}"}}`],
])('a message %s that is too long is reported', async (_, line) => {
  const { child, events, messages } = await started();
  child.stdout.write(`${line}\n`);
  await expect.poll(() => events).toStrictEqual(['A message without id is too long.']);
  expect(messages).toStrictEqual([]);
});

test('a program that does not read its input is ended', async () => {
  const { child, transport } = await started();
  const sent = [];
  for (let count = 0; count < 15_000; count += 1) sent.push(transport.send(REQUEST));
  await Promise.all(sent);
  expect(child.signals[0]).toBe('SIGKILL');
  child.end(null, 'SIGKILL');
  expect(transport.exit).toBe('it did not read its input');
});

test('a program that closes its output and lives on is ended', async () => {
  const { child, timer, transport } = await started();
  child.stdout.end();
  child.stdout.resume();
  await expect.poll(timer.running).toStrictEqual([END_MS]);
  expect(child.signals).toStrictEqual([]);
  timer.ring(END_MS);
  expect(child.signals).toStrictEqual(['SIGKILL']);
  child.end(null, 'SIGKILL');
  expect(transport.exit).toBe('it closed its output');
});

test('a program that closes its output because it ends has its own exit', async () => {
  const { child, timer, transport } = await started();
  child.stdout.end();
  await expect.poll(timer.running).toStrictEqual([END_MS]);
  child.end(2);
  timer.ring(END_MS);
  expect(transport.exit).toBe('exit code 2');
});
