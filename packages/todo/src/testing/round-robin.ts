import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A load balancer. */
export interface RoundRobin {
  readonly url: string;
  /** How many requests it passed to each server. */
  readonly passed: readonly number[];
}

/**
 * Passes each request to the next server. Like every load balancer, it chooses another one if the server does not accept
 * the connection, and answers 502 if a server breaks the connection: the request was carried out or not.
 *
 * @param ports read for each request
 */
export async function startRoundRobin(ports: readonly number[]): Promise<RoundRobin> {
  const passed = ports.map(() => 0);
  let turn = 0;
  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const first = turn++;
    let tried = 0;
    const passToNext = (): void => {
      // Not the next turn: that of a request meanwhile can be the same server again.
      const index = (first + tried) % ports.length;
      tried += 1;
      const { method, url: path, headers } = incoming;
      const options = { host: '127.0.0.1', port: ports[index], method, path, headers, agent: false };
      const upstream = request(options, (answer) => {
        passed[index] = (passed[index] ?? 0) + 1;
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.on('error', () => outgoing.destroy());
        answer.pipe(outgoing);
      });
      upstream.on('error', (error) => {
        if ('code' in error && error.code === 'ECONNREFUSED' && tried < ports.length) passToNext();
        else if (outgoing.headersSent) outgoing.destroy();
        else outgoing.writeHead(502).end();
      });
      outgoing.on('close', () => upstream.destroy());
      upstream.end(body);
    };
    passToNext();
  }

  const proxy = createServer((incoming, outgoing) => void pass(incoming, outgoing));
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  proxy.listen(0, '127.0.0.1', resolve);
  await listening;
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return { url: `http://127.0.0.1:${address.port}/mcp`, passed };
}
