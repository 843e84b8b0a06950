import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defineServer, silentLog, toolDefiner } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { IS_PROOF } from '@deskside/core/testing/random';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { connectHttp } from './connect.ts';

/** The full count runs with the proof. */
const SESSIONS = IS_PROOF ? 10_000 : 400;
const CONCURRENT = 16;
/** A session in memory takes about 12 kB. */
const MAX_GROWTH_BYTES = Math.min(6_000_000, SESSIONS * 6000);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const hello = toolDefiner<null>()({
  name: 'hello',
  title: 'Hello',
  description: 'Greets',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({}),
  run: () => 'hello',
});

function initialize(url: string): Promise<Response> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'gone', version: '1' },
  };
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
}

/** @returns sockets, timers and bytes of the heap after a collection */
function used() {
  collectGarbage();
  const resources = process.getActiveResourcesInfo();
  const count = (kind: string) => resources.filter((each) => each === kind).length;
  return { sockets: count('TCPSocketWrap'), timers: count('Timeout'), heap: process.memoryUsage().heapUsed };
}

test(`${SESSIONS} clients that initialize and never say goodbye leave a bounded server, and others are served`, async () => {
  const definition = defineServer({ name: 'many', version: '1.0.0', deps: null, tools: [hello] });
  await using serving = Object.assign(
    await serve(definition, { log: silentLog, ownsProcess: false, http: { port: 0, auth: 'none' } }),
    { [Symbol.asyncDispose]: () => serving.close() },
  );
  const url = serving.url ?? '';
  await using other = await connectHttp(url, { era: 'legacy' });
  const call = () => other.callTool('hello');
  let started = 0;

  async function start(count: number): Promise<void> {
    for (let n = 0; n < count; n += CONCURRENT) {
      const responses = await Promise.all(Array.from({ length: CONCURRENT }, () => initialize(url)));
      for (const response of responses) {
        expect(response.status).toBe(200);
        if (response.headers.has('mcp-session-id')) started += 1;
        await response.text();
      }
      expect(await call()).toMatchObject({ content: [{ text: 'hello' }] });
    }
  }

  await start(200);
  const before = used();
  await start(SESSIONS);
  const after = used();
  expect(started).toBeGreaterThanOrEqual(SESSIONS + 200);
  expect(after.sockets - before.sockets).toBeLessThanOrEqual(CONCURRENT);
  expect(after.timers - before.timers).toBeLessThanOrEqual(CONCURRENT);
  expect(after.heap - before.heap).toBeLessThan(MAX_GROWTH_BYTES);
});
