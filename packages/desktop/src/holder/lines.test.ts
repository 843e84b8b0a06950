import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '@deskside/testkit';
import { exchangeLines, firstLine } from './lines.ts';

const MAX_LINE_BYTES = 1024 * 1024;

/** Both ends of a connection. */
async function connection(): Promise<readonly [Socket, Socket]> {
  const address = join(temporaryFolder(), 'test.sock');
  const server = createServer().listen(address);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const near = connect(address);
  const [far] = (await once(server, 'connection')) as [Socket];
  for (const socket of [near, far]) {
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
  }
  return [near, far];
}

test('the first line comes alone, and what is behind it can be read afterwards', async () => {
  const [near, far] = await connection();
  near.write('one ä\ntwo\nthr');
  expect(await firstLine(far)).toBe('one ä');
  expect(far.isPaused()).toBe(true);
  near.end('ee\n');
  let rest = '';
  for await (const chunk of far) rest += String(chunk);
  expect(rest).toBe('two\nthree\n');
});

test.each([
  ['ends', (socket: Socket) => void socket.end('no line feed')],
  ['sends a byte more than 1 MiB', (socket: Socket) => void socket.write('x'.repeat(MAX_LINE_BYTES + 1))],
])('a connection that %s before the first line feed has no first line', async (_, act) => {
  const [near, far] = await connection();
  act(near);
  expect(await firstLine(far)).toBeUndefined();
});

test('objects are exchanged, and lines that are no objects are ignored', async () => {
  const [near, far] = await connection();
  const [nearGot, farGot]: [unknown[], unknown[]] = [[], []];
  const toFar = exchangeLines(near, (message) => nearGot.push(message));
  const toNear = exchangeLines(far, (message) => farGot.push(message));
  near.write('[]\nnull\nno JSON\n1\n');
  toFar({ a: 1 });
  toNear({ b: 2 });
  await expect.poll(() => [farGot, nearGot]).toStrictEqual([[{ a: 1 }], [{ b: 2 }]]);
  const errors: Error[] = [];
  near.on('error', (error) => errors.push(error)).end();
  toFar({ a: 2 });
  far.end();
  await once(near, 'close');
  expect(errors).toStrictEqual([]);
});

test('a line of more than 1 MiB ends the connection, and many short ones do not', async () => {
  const [near, far] = await connection();
  let messages = 0;
  exchangeLines(far, () => (messages += 1));
  near.write(`{"text":"${'x'.repeat(1000)}"}\n`.repeat(1100));
  await expect.poll(() => messages).toBe(1100);
  expect(far.destroyed).toBe(false);
  near.write('x'.repeat(MAX_LINE_BYTES + 1));
  await once(far, 'close');
});
