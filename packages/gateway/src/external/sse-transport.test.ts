import type { ServerResponse } from 'node:http';
import { listen } from '@deskside/testkit';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { expect, onTestFinished, test } from 'vitest';
import { running } from '../testing/external.ts';
import { callOf, jsonOf } from '../testing/fake.ts';
import { openDesk } from '../testing/open-desk.ts';

const EXACT = { structuredContent: { n: JSON.rawJSON('12345678901234567890') } };

/** A server of the SDK's version 1 that speaks HTTP+SSE only, as many still do. */
async function oldServer() {
  const transports = new Map<string, SSEServerTransport>();
  /** Of each connection, the last one last. */
  const streams: ServerResponse[] = [];
  const server = await listen((request, response) => {
    const url = new URL(request.url ?? '', 'http://old');
    if (request.method === 'GET' && url.pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response);
      transports.set(transport.sessionId, transport);
      streams.push(response);
      const old = new McpServer({ name: 'old', version: '1.0.0' });
      old.registerTool('greet', {}, async () => ({ content: [{ type: 'text', text: '"hello"' }], ...EXACT }));
      old.registerTool('huge', {}, async () => ({ content: [{ type: 'text', text: 'x'.repeat(100_000) }] }));
      old.registerTool('never', {}, () => new Promise(() => undefined));
      void old.connect(transport);
      return;
    }
    const transport = transports.get(url.searchParams.get('sessionId') ?? '');
    if (url.pathname !== '/messages' || transport === undefined) response.writeHead(404).end();
    else void transport.handlePostMessage(request, response);
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { url: `${server.origin}/sse`, streams };
}

test('a server that speaks only HTTP+SSE is listed and called, and another connection follows a lost one', async () => {
  const { url, streams } = await oldServer();
  const { peer, desk } = await openDesk({ x: running({ url }) });
  const { tools } = (await peer.request('tools/list')) as { tools: readonly { name: string }[] };
  expect(tools.map(({ name }) => name)).toStrictEqual(['x_greet', 'x_huge', 'x_never']);
  expect(jsonOf(await callOf(peer, 'x_greet'))).toBe('hello');
  expect(peer.lines.at(-1)).toContain('{"n":12345678901234567890}');
  const open = callOf(peer, 'x_never');
  await expect.poll(async () => jsonOf(await callOf(peer, 'x_greet'))).toBe('hello');
  streams.at(-1)?.destroy();
  expect(jsonOf(await open)).toMatchObject({ error: 'x ended during the call.', code: 'UNAVAILABLE' });
  expect(await desk.aggregator.mountStates()).toMatchObject([{ reason: 'Its connection ended.' }]);
  expect(jsonOf(await callOf(peer, 'x_greet'))).toBe('hello');
});

test('an event that is too long ends the connection, and the call says why', async () => {
  const { url } = await oldServer();
  const { peer } = await openDesk({ x: running({ url }, { limits: { resultBytes: 50_000 } }) });
  expect(jsonOf(await callOf(peer, 'x_huge'))).toMatchObject({
    error: 'x ended during the call (The answer is longer than 50000 bytes).',
  });
  expect(jsonOf(await callOf(peer, 'x_greet'))).toBe('hello');
});
