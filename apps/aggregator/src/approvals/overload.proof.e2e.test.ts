import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingPackages, needs, openDesktop, waitFor } from '@deskside/notify-popup/testing/desktop';
import { startProgram, temporaryFolder } from '@deskside/testkit';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test } from 'vitest';
import { withPersonAt } from '../testing/with-person.ts';

// Not the built program: its parts cannot be replaced.
const BIN = join(import.meta.dirname, '../cli.ts');
const FILES = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
);
const LOOP_WATCH = join(import.meta.dirname, '../testing/loop-watch.ts');
const TOKEN = 'a-token-for-the-person-at-the-screen';
/** Of CPU time. Beside other programs the same work takes up to twice as much. */
const MAX_HELD_MS = 250;
const MAX_MEGABYTES = 300;
const HOUR_MS = 3_600_000;

/** A desk at a desktop, with a server whose calls ask the person. */
async function openDesk() {
  const home = temporaryFolder();
  const desktop = await openDesktop(home);
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const env = withPersonAt(desktop.env, { ...desktop.env, DISPLAY: '', DESKSIDE_TOKEN: TOKEN });
  const folder = join(home, 'work');
  mkdirSync(folder);
  const run = (...args: readonly string[]) => startProgram({ command: process.execPath, args, env });
  const own = ['--isolation', 'shared', '--yes', '--', process.execPath, FILES, folder];
  await using adding = run(BIN, 'add', 'files', ...own);
  expect(await adding.exited).toBe(0);
  const desk = run(`--import=${LOOP_WATCH}`, BIN, 'http', '--port', '0', '--log-level', 'debug');
  onTestFinished(() => desk[Symbol.asyncDispose]());
  const [, url = ''] = await desk.printed(/(http:\S+\/mcp)/);
  return { desk, url, folder };
}

test.skipIf(missingPackages.length > 0).each([
  [300, 20_000],
  [2000, 20_000],
  [20, 400_000],
])(
  `%i calls of %i characters that wait for the person and are cancelled do not hold up the desk${needs}`,
  async (count, size) => {
    const { desk, url, folder } = await openDesk();
    const agent = new Client({ name: 'busy', version: '1' });
    const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
    await agent.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    onTestFinished(() => agent.close());
    // What is read once.
    await agent.listTools();
    const before = desk.stderr().length;
    const cancelled = new AbortController();
    const content = 'x'.repeat(size);
    const calls = Array.from({ length: count }, (_, index) => {
      const params = { name: 'files_write_file', arguments: { path: join(folder, `${index}.txt`), content } };
      return agent.callTool(params, undefined, { signal: cancelled.signal, timeout: HOUR_MS });
    });
    const ended = Promise.allSettled(calls);
    await waitFor(() => desk.stderr().includes('popup accepts keys'), 'the window is open');
    cancelled.abort();
    await ended;
    // The cancellations are requests, too.
    await agent.ping();
    const held = [
      ...desk
        .stderr()
        .slice(before)
        .matchAll(/held for (\d+) ms/g),
    ].map(([, ms]) => Number(ms));
    expect(Math.max(0, ...held)).toBeLessThanOrEqual(MAX_HELD_MS);
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${desk.child.pid}/status`, 'utf8')) ?? [];
    expect(Number(kilobytes) / 1000).toBeLessThanOrEqual(MAX_MEGABYTES);
  },
);
