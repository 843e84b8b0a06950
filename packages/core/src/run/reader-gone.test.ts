import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../testing/echo-program.ts');
const TOKEN = 'a-long-enough-token';

/** A server none of whose log lines anybody reads. */
async function start(...args: string[]): Promise<ChildProcessByStdio<Writable, Readable, Readable>> {
  const home = mkdtempSync(join(tmpdir(), 'deskside-echo-'));
  const env = { HOME: home, DESKSIDE_TOKEN: TOKEN, DESKSIDE_LOG_LEVEL: 'debug' };
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: 'pipe' });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(home, { recursive: true });
  });
  child.stderr.destroy();
  await once(child.stderr, 'close');
  return child;
}

function call(id: number, name: string, args: Record<string, unknown> = {}) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

test('over stdio: it answers on when nobody reads its log', async () => {
  const { stdin, stdout } = await start();
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  for (const message of [INITIALIZE, call(1, 'crash'), call(2, 'crash'), call(3, 'echo', { text: 'hi' })]) {
    stdin.write(`${JSON.stringify(message)}\n`);
    expect(JSON.parse((await lines.next()).value ?? 'null')).toMatchObject({ id: message.id });
  }
});

test('over HTTP: it answers on when nobody reads its log or what it printed', async () => {
  const { stdout } = await start('--http', '--port', '0');
  const lines = createInterface({ input: stdout });
  const [line] = await once(lines, 'line');
  stdout.destroy();
  const [url = ''] = /http:\S+/.exec(String(line)) ?? [];
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  for (const id of [1, 2, 3]) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, Authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ ...INITIALIZE, id }),
    });
    expect(await response.text()).toContain('"serverInfo"');
  }
});
