import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { defineServer, silentLog } from '@deskside/core';
import { attachedServer } from '@deskside/core/internal';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openSession } from './session.ts';

const hello = {
  kind: 'session',
  secret: '',
  version: '1.0.0',
  session: 'attach/1',
  pid: 1,
  env: {},
  settings: {},
} as const;

/** The desk's end of a connection whose client was killed. */
async function abandoned(): Promise<Socket> {
  const server = createServer({ allowHalfOpen: true });
  onTestFinished(() => void server.close());
  const address = join(temporaryFolder(), 'desk.sock');
  server.listen(address);
  await once(server, 'listening');
  const client = connect(address);
  const [socket]: Socket[] = await once(server, 'connection');
  if (socket === undefined) throw new Error('no connection');
  client.destroy();
  await once(socket.resume(), 'end');
  return socket;
}

test('a session ends if its last answer cannot be written', async () => {
  const socket = await abandoned();
  socket.on('error', () => undefined);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const serving = {
    closed,
    openRequests: () => 0,
    async close() {
      socket.write('the last answer\n');
      resolve();
    },
  };
  const definition = defineServer({ name: 'test', version: '1.0.0', deps: undefined, tools: [] });
  const session = openSession(hello, socket, 'ada', definition, () => serving);
  await expect(session.end()).resolves.toBeUndefined();
  await expect(session.closed).resolves.toBeUndefined();
});

test('a session ends if its client does not read what is written', async () => {
  const server = createServer({ allowHalfOpen: true });
  onTestFinished(() => void server.close());
  const address = join(temporaryFolder(), 'desk.sock');
  server.listen(address);
  await once(server, 'listening');
  const client = connect(address)
    .on('error', () => undefined)
    .pause();
  onTestFinished(() => void client.destroy());
  const [socket]: Socket[] = await once(server, 'connection');
  if (socket === undefined) throw new Error('no connection');
  socket.on('error', () => undefined);
  const definition = defineServer({ name: 'test', version: '1.0.0', deps: undefined, tools: [] });
  const session = openSession(hello, socket, 'ada', definition, attachedServer({ log: silentLog }));
  socket.write(Buffer.alloc(4 * 1024 * 1024));
  await expect(session.end()).resolves.toBeUndefined();
});
