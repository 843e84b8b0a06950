import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { defineServer, silentLog } from '@deskside/core';
import { attachedServer } from '@deskside/core/internal';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { HELLO } from '../testing/attach-desk.ts';
import { openSession } from './session.ts';

/** Both ends of a connection: that of the desk, and that of the client. */
async function connection() {
  const server = createServer({ allowHalfOpen: true });
  onTestFinished(() => void server.close());
  const address = join(temporaryFolder(), 'desk.sock');
  server.listen(address);
  await once(server, 'listening');
  const client = connect(address).on('error', () => undefined);
  onTestFinished(() => void client.destroy());
  const [socket]: Socket[] = await once(server, 'connection');
  if (socket === undefined) throw new Error('no connection');
  socket.on('error', () => undefined);
  return { client, socket };
}

const definition = defineServer({ name: 'test', version: '1.0.0', deps: undefined, tools: [] });

test('a session ends if its last answer cannot be written', async () => {
  const { client, socket } = await connection();
  // It was killed.
  client.destroy();
  await once(socket.resume(), 'end');
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const serving = {
    closed,
    openRequests: () => 0,
    async close() {
      socket.write('the last answer\n');
      resolve();
    },
  };
  const session = openSession(HELLO, socket, 'ada', definition, () => serving);
  await expect(session.end()).resolves.toBeUndefined();
  await expect(session.closed).resolves.toBeUndefined();
});

test('a session ends if its client does not read what is written', async () => {
  const { client, socket } = await connection();
  client.pause();
  const session = openSession(HELLO, socket, 'ada', definition, attachedServer({ log: silentLog }));
  socket.write(Buffer.alloc(4 * 1024 * 1024));
  await expect(session.end()).resolves.toBeUndefined();
});
