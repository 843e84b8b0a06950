import { join } from 'node:path';
import { connectTransport, temporaryFolder } from '@deskside/core/testing';
import { cleanEnvironment, firstText, startProgram } from '@deskside/testkit';
import { StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, expect, onTestFinished, test } from 'vitest';

const TOKEN = 'token-of-the-examples';
const headers = { Authorization: `Bearer ${TOKEN}` };

const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());
const [first, second, stranger] = await Promise.all([
  startBooking('one-secret-of-this-test'),
  startBooking('one-secret-of-this-test'),
  startBooking('another-secret-of-this-test'),
]);

/** One process of the booking server, with its own folders. @returns its URL */
async function startBooking(secret: string): Promise<URL> {
  const { path } = started.use(temporaryFolder());
  const running = startProgram({
    command: process.execPath,
    args: [join(import.meta.dirname, 'booking.ts'), '--http', '--port', '0'],
    env: { ...cleanEnvironment(path), DESKSIDE_TOKEN: TOKEN, DESKSIDE_SECRET: secret },
  });
  started.use(running);
  const [url] = await running.printed(/http:\/\/\S+\/mcp/);
  return new URL(url);
}

/** A client whose calls go to the processes in turn, as behind a load balancer. */
async function connect(processes: readonly URL[], answers: Record<string, string | number | boolean>[]) {
  let calls = 0;
  const transport = new ModernHttp(new URL('http://load-balancer.invalid/mcp'), {
    fetch: (_url, init) => {
      const isCall = new Headers(init?.headers).get('mcp-method') === 'tools/call';
      const process = processes[calls % processes.length] ?? first;
      if (isCall) calls += 1;
      return fetch(process, init);
    },
    requestInit: { headers },
  });
  const peer = await connectTransport(transport, {
    era: 'modern',
    capabilities: { elicitation: { form: {} } },
  });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  peer.client.setRequestHandler('elicitation/create', () => ({
    action: 'accept' as const,
    content: answers.shift() ?? {},
  }));
  return { peer, calls: () => calls };
}

const PARTY = { guests: 2, time: '19:30' };

test('a booking that one process begins is confirmed at another process with the same secret', async () => {
  const processes = [first, second];
  const { peer, calls } = await connect(processes, [PARTY, { confirm: true }]);
  const { structuredContent } = await peer.callTool('book_table', { restaurant: 'Roma' });
  // The second process made the offer, the first one read it from the sealed state.
  expect(structuredContent).toEqual({ status: 'booked', table: 1, ...PARTY });
  expect(calls()).toBe(3);
  expect(firstText(await (await connect(processes, [])).peer.callTool('list_bookings'))).toContain('Roma');
});

test('a process with another secret refuses the offer', async () => {
  const { peer } = await connect([first, stranger], [PARTY, { confirm: true }]);
  await expect(peer.callTool('book_table', { restaurant: 'Roma' })).rejects.toThrow(/requestState/);
});

test('a session that one process begins continues at another process with the same secret', async () => {
  let current = first;
  const transport = new LegacyHttp(current, {
    fetch: (_url, init) => fetch(current, init),
    requestInit: { headers },
  });
  const client = new LegacyClient({ name: 'sessions', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const { sessionId } = transport;
  current = second;
  expect(await client.callTool({ name: 'list_bookings' })).toMatchObject({ content: [{ text: '[]' }] });
  expect(transport.sessionId).toBe(sessionId);
});
