import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port of this machine that no program listens on. */
export async function freePort(): Promise<number> {
  await using server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}
