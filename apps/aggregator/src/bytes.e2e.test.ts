import { once } from 'node:events';
import { connect } from 'node:net';
import { IS_PROOF, type Program, startProgram } from '@deskside/testkit';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { deskHome } from './testing/desk-home.ts';

const SETTINGS = { numRuns: IS_PROOF ? 600 : 100 };
const LIMIT_MS = IS_PROOF ? 240_000 : 60_000;
const TOKEN = 'a-token-for-this-test';

function deskside(...args: readonly string[]): Program {
  return startProgram(deskHome().command(args, { DESKSIDE_TOKEN: TOKEN, DESKSIDE_LOG_LEVEL: 'error' }));
}

const MESSAGES = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 'a', method: 'tools/list', params: { cursor: 'x' } },
  {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'todo_list_tasks', arguments: { user_id: 'me' }, _meta: { progressToken: 1 } },
  },
  { jsonrpc: '2.0', id: 3, method: 'resources/read', params: { uri: 'manictime://health' } },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } },
  { jsonrpc: '2.0', id: 4, result: {} },
].map((message) => JSON.stringify(message));

/** A message with some bytes changed, left out or added; or bytes without any meaning. Never a line end. */
const line: fc.Arbitrary<Buffer> = fc
  .oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .tuple(
        fc.constantFrom(...MESSAGES),
        fc.array(fc.record({ at: fc.nat(300), left: fc.nat(6), added: fc.uint8Array({ maxLength: 6 }) }), {
          maxLength: 4,
        }),
      )
      .map(([text, edits]) =>
        edits.reduce((bytes, { at, left, added }) => {
          const start = at % (bytes.length + 1);
          return Buffer.concat([bytes.subarray(0, start), added, bytes.subarray(start + left)]);
        }, Buffer.from(text)),
      ),
    fc.nat(4000).map((depth) => Buffer.from('['.repeat(depth) + ']'.repeat(depth))),
  )
  .map((bytes) => bytes.filter((byte) => byte !== 0x0a && byte !== 0x0d))
  .map((bytes) => Buffer.from(bytes));

test('stdio answers after any bytes, and writes nothing but JSON-RPC', { timeout: LIMIT_MS }, async () => {
  await using server = deskside('stdio', '--standalone', '--mounts', 'todo,log,toast');
  const { stdin } = server.child;
  stdin.write(`${MESSAGES[0]}\n`);
  await server.printed(/"serverInfo"/);
  let rounds = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 5 }), async (lines) => {
      rounds += 1;
      for (const bytes of lines) stdin.write(Buffer.concat([bytes, Buffer.from('\n')]));
      stdin.write(`{"jsonrpc":"2.0","id":"round-${rounds}","method":"ping"}\n`);
      await server.printed(new RegExp(`"id":"round-${rounds}"`));
    }),
    { ...SETTINGS, endOnFailure: true },
  );
  stdin.end();
  expect(await server.exited).toBe(0);
  const foreign = server
    .stdout()
    .split('\n')
    .filter((text) => text !== '' && !isMessage(text));
  expect(foreign).toStrictEqual([]);
  expect(server.stderr()).not.toMatch(/uncaught|"Internal error"/i);
});

function isMessage(text: string): boolean {
  try {
    return Reflect.get(Object(JSON.parse(text)), 'jsonrpc') === '2.0';
  } catch {
    return false;
  }
}

const HEAD = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n`;

const request: fc.Arbitrary<Buffer> = fc
  .tuple(
    line,
    fc.option(fc.record({ at: fc.nat(HEAD.length), added: fc.uint8Array({ maxLength: 8 }) })),
    fc.constantFrom(
      '',
      'Mcp-Session-Id: x\r\n',
      'MCP-Protocol-Version: 2026-07-28\r\n',
      'Transfer-Encoding: chunked\r\n',
    ),
    fc.integer({ min: -1, max: 2 }),
  )
  .map(([body, edit, header, more]) => {
    const length = Math.max(0, body.length + more);
    const head = Buffer.from(`${HEAD}${header}Connection: close\r\nContent-Length: ${length}\r\n\r\n`);
    const changed =
      edit === null ? head : Buffer.concat([head.subarray(0, edit.at), edit.added, head.subarray(edit.at)]);
    return Buffer.concat([changed, body]);
  });

test('HTTP refuses any bytes with a status of the client, and goes on', { timeout: LIMIT_MS }, async () => {
  await using server = deskside('http', '--port', '0', '--mounts', 'todo,log,toast');
  const [, port = ''] = await server.printed(/http:\/\/127\.0\.0\.1:(\d+)\/mcp/);
  await fc.assert(
    fc.asyncProperty(request, async (bytes) => {
      const answer = await answerTo(Number(port), bytes);
      // No answer at all is one to a request that never ends.
      expect(answer).toMatch(/^(?:HTTP\/1\.1 [24]\d\d |$)/);
    }),
    { ...SETTINGS, endOnFailure: true },
  );
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  expect(server.stderr()).not.toMatch(/uncaught|"Internal error"/i);
});

/** Sends bytes, then the end of the input. */
async function answerTo(port: number, bytes: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += String(text);
  });
  // A server may close the connection before it has read everything.
  socket.on('error', () => undefined);
  socket.end(bytes);
  await once(socket, 'close');
  return answer;
}
