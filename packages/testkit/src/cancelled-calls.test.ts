import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { defineServer, type ServerDefinition, silentLog, toolDefiner } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { described } from '@deskside/core/testing/described';

const CALLS_PER_KIND = 20;

/** A server with a tool that ends only when its call is cancelled. */
function waitingServer(calls = 2 * CALLS_PER_KIND) {
  const counts = { started: 0, aborted: 0 };
  const { promise: allStarted, resolve } = Promise.withResolvers<void>();
  const wait = toolDefiner<null>()({
    ...described('wait'),
    async run(_, __, { signal }) {
      const aborted = once(signal, 'abort');
      counts.started += 1;
      if (counts.started === calls) resolve();
      await aborted;
      counts.aborted += 1;
      return 'stopped';
    },
  });
  const definition = defineServer({ name: 'waiting', version: '1.0.0', deps: null, tools: [wait] });
  return { counts, allStarted, definition };
}

/** Serves over HTTP, and counts the connections of the HTTP server. */
async function serveCounted(definition: ServerDefinition) {
  const servers = new Set<Server>();
  const onRequest = (message: unknown) => servers.add((message as { server: Server }).server);
  subscribe('http.server.request.start', onRequest);
  const serving = await serve(definition, {
    log: silentLog,
    ownsProcess: false,
    http: { port: 0, auth: 'none' },
    limits: { callsPerSession: 2 * CALLS_PER_KIND },
  });
  return {
    url: new URL(serving.url ?? ''),
    async connections(): Promise<number> {
      const counts = await Promise.all(
        [...servers].map(
          (server) =>
            new Promise<number>((resolve) => {
              server.getConnections((_, count) => resolve(count));
            }),
        ),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    },
    close: () => serving.close(),
    async [Symbol.asyncDispose]() {
      unsubscribe('http.server.request.start', onRequest);
      await serving.close();
    },
  };
}

test('40 cancelled and timed-out calls of the v1 client leave no connection, and the server closes at once', async () => {
  const { counts, allStarted, definition } = waitingServer();
  await using server = await serveCounted(definition);
  const client = new Client({ name: 'v1', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(server.url, {
    // On a slow machine a time limit passes before the server has the call. Then its cancellation would come first.
    fetch: async (url, init) => {
      const isCancellation = typeof init?.body === 'string' && init.body.includes('notifications/cancelled');
      if (isCancellation) await allStarted;
      const headers = new Headers(init?.headers);
      headers.set('Connection', 'close');
      return fetch(url, { ...init, headers });
    },
  });
  await client.connect(transport);
  const call = (options: { signal?: AbortSignal; timeout?: number }) =>
    client.callTool({ name: 'wait', arguments: {} }, CallToolResultSchema, options);

  const aborting = new AbortController();
  const cancelled = Array.from({ length: CALLS_PER_KIND }, () => call({ signal: aborting.signal }));
  const timedOut = Array.from({ length: CALLS_PER_KIND }, () => call({ timeout: 200 }));
  const outcomes = Promise.allSettled([...cancelled, ...timedOut]);
  await allStarted;
  aborting.abort();
  expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toEqual([]);
  await expect.poll(() => counts.aborted).toBe(2 * CALLS_PER_KIND);

  // What stays is the client's own stream of the session.
  await expect.poll(() => server.connections(), { interval: 200 }).toBeLessThanOrEqual(1);
  await client.ping();
  await client.close();
  await expect.poll(() => server.connections(), { interval: 200 }).toBe(0);
  // With calls in progress it would wait for its time limit, which never passes here.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await server.close();
});
