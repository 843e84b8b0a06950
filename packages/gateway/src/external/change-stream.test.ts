import type { ServerResponse } from 'node:http';
import { systemClock } from '@deskside/core/base';
import { expect, onTestFinished, test } from 'vitest';
import { manualTimer } from '../testing/fake.ts';
import { OddServer } from '../testing/odd-server.ts';
import { HttpTransport } from './http-transport.ts';

/** A connection whose server answers each GET so. The clock stands still but for what the test says. */
async function listening(stream: (response: ServerResponse, count: number) => void) {
  const server = new OddServer();
  const timer = manualTimer();
  const state = { gets: 0, ms: 0 };
  server.stream = (response) => {
    state.gets += 1;
    stream(response, state.gets);
  };
  const clock = { ...systemClock, elapsedMs: () => state.ms, after: timer.startTimer };
  const transport = new HttpTransport({ url: await server.listen(), maxMessageBytes: 1000, clock });
  const messages: unknown[] = [];
  transport.onmessage = (message) => messages.push(message);
  onTestFinished(() => transport.close());
  await transport.start();
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { transport, timer, state, messages };
}

/** The pauses before the next streams. */
async function pauses({ timer }: Pick<Awaited<ReturnType<typeof listening>>, 'timer'>, count: number) {
  const seen: number[] = [];
  for (let index = 0; index < count; index += 1) {
    await expect.poll(timer.running).toHaveLength(1);
    const [ms = 0] = timer.running();
    seen.push(ms / 1000);
    timer.ring(ms);
  }
  return seen;
}

const events = (text: string) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);

test.each<readonly [string, (response: ServerResponse, count: number) => void]>([
  ['ends at once', events('')],
  ['demands no pause', events('retry: 0\n\n')],
  ['ends after an event', events('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n')],
  [
    'breaks',
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hello\n\n', () => response.destroy());
    },
  ],
  ['is refused (503)', (response) => void response.writeHead(503).end()],
  ['is never answered', (response) => void response.destroy()],
])(
  'a stream of changes that %s is asked for again after a second, and then after ever longer pauses',
  async (_, stream) => {
    const desk = await listening(stream);
    expect(await pauses(desk, 9)).toStrictEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    await expect.poll(() => desk.state.gets).toBe(10);
  },
);

test.each<readonly [string, (response: ServerResponse) => void]>([
  ['HTML', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['nothing', (response) => void response.writeHead(204).end()],
  ['HTTP 405', (response) => void response.writeHead(405).end()],
])('a server that answers %s has no stream of changes, and is not asked again', async (_, stream) => {
  const { timer, state, transport } = await listening(stream);
  await expect.poll(() => state.gets).toBe(1);
  await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled' });
  expect([timer.running(), state.gets]).toStrictEqual([[], 1]);
});

test('a longer pause that the server demands is kept, up to a minute', async () => {
  const desk = await listening((response, count) =>
    events(`retry: ${count === 1 ? 5000 : 3_600_000}\n\n`)(response),
  );
  expect(await pauses(desk, 2)).toStrictEqual([5, 60]);
});

test('a stream that has lived is asked for again after a second, from where it ended', async () => {
  const ids: unknown[] = [];
  const desk = await listening((response, count) => {
    ids.push(response.req.headers['last-event-id']);
    if (count === 4) desk.state.ms += 10_000;
    events(`id: ${count}\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n`)(response);
  });
  expect(await pauses(desk, 5)).toStrictEqual([1, 2, 4, 1, 2]);
  expect(ids.slice(0, 5)).toStrictEqual([undefined, '1', '2', '3', '4']);
  expect(desk.messages).toContainEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
});

test('a connection that closes asks for no further stream', async () => {
  const { timer, state, transport } = await listening(events(''));
  await expect.poll(timer.running).toStrictEqual([1000]);
  await transport.close();
  expect([timer.running(), state.gets]).toStrictEqual([[], 1]);
});
