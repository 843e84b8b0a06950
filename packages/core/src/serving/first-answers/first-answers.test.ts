import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../log.ts';
import { temporaryFolder } from '../../testkit/index.ts';
import { standardOutput } from '../process/standard-streams.ts';
import { serve } from '../serve.ts';
import { type FirstAnswers, firstAnswers, shapeOf } from '../first-answers/first-answers.ts';
import { serverOf } from '../../testing/surface.ts';
import { lineClient } from '../../testing/wire.ts';

const greeting = (capabilities: object, name = 'test') => ({
  jsonrpc: '2.0',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name, version: '1' } },
});
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const list = { jsonrpc: '2.0', method: 'tools/list' };
const call = { jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'project' } };
const ROOTS = [{ uri: 'file:///home/anna/novel' }];

/** What `projectServer` answers, with other texts in between to tell it from the server. */
const ANSWERS: FirstAnswers = {
  words: '^(?:\0--(?:user[=\0]\\s*[^\\s\0-][^\0]*|theme[=\0](?:dark|light)|quiet))*$',
  variables: { PROJECT_TOOLS: '^$', PROJECT_THEME: '^(?:dark|light)$', PROJECT_USER: String.raw`^\s*[^\s-]` },
  clients: ['^different-'],
  lines: [
    ['{"jsonrpc":"2.0","id":', ',"result":{"stored":"greeting"}}'],
    ['{"jsonrpc":"2.0","id":', ',"method":"roots/list"}'],
    ['{"jsonrpc":"2.0","id":', ',"result":{"stored":"list"}}'],
  ],
  states: {
    start: {
      [shapeOf(greeting({ roots: {} }))]: { next: 'asks', line: 0 },
      [shapeOf(greeting({}))]: { next: 'ready', line: 0 },
    },
    asks: { [shapeOf(initialized)]: { next: 'ready', line: 1, asks: true } },
    ready: { [shapeOf(list)]: { next: 'ready', line: 2 }, [shapeOf(initialized)]: { next: 'ready' } },
  },
};

const projectServer = serverOf('project', ({ caller }) => caller.project ?? 'none');

interface Start {
  readonly args?: readonly string[];
  readonly env?: object;
  /** The version of Node.js. */
  readonly node?: string;
  readonly stdout?: Writable;
}

/** A process with first answers, whose server is loaded when it must be. */
function start({ args = [], env = {}, node = '23.0.0', stdout }: Start = {}) {
  const file = join(temporaryFolder().path, 'first-answers.json');
  writeFileSync(file, JSON.stringify(ANSWERS));
  const { promise: exited, resolve: exit } = Promise.withResolvers<unknown>();
  const { streams: pipes, send, next } = lineClient();
  const { input: stdin, output } = pipes;
  const argv = ['node', 'cli.js', ...args];
  const fake = Object.assign(new EventEmitter(), {
    argv,
    env,
    versions: { node },
    stdin,
    stdout: stdout ?? output,
    exit,
  });
  const loaded = firstAnswers(pathToFileURL(file), fake as unknown as NodeJS.Process).then(async (first) => {
    const streams = { input: stdin, output: standardOutput(fake as unknown as NodeJS.Process) };
    const serving = await serve(projectServer, { streams, first, log: silentLog, ownsProcess: false });
    onTestFinished(() => serving.close());
    return first;
  });
  return { stdin, exited, loaded, signal: (name: string) => fake.emit(name), send, next };
}

test('the lists come from the file, and a call from the server, which learns what was said before', async () => {
  const host = start();
  host.send({ ...greeting({}), id: 1 }, initialized, { ...list, id: 'two' });
  expect(await host.next()).toMatchObject({ id: 1, result: { stored: 'greeting' } });
  expect(await host.next()).toMatchObject({ id: 'two', result: { stored: 'list' } });
  host.send(call);
  expect((await host.loaded)?.exchanges.map(({ id }) => id)).toStrictEqual([1, undefined, 'two']);
  expect(await host.next()).toMatchObject({ id: 'call', result: { content: [{ text: 'none' }] } });
  host.send({ ...list, id: 4 });
  expect(await host.next()).toMatchObject({ id: 4, result: { tools: [{ name: 'project' }] } });
});

test.each(['before the call', 'after the server is loaded'])(
  'roots that the client names %s are asked for once, and are known to the server',
  async (when) => {
    const host = start();
    host.send({ ...greeting({ roots: {} }), id: 0 }, initialized);
    await host.next();
    const { id, ...question } = await host.next();
    expect(question).toStrictEqual({ jsonrpc: '2.0', method: 'roots/list' });
    const answer = { jsonrpc: '2.0', id, result: { roots: ROOTS } };
    if (when === 'before the call') host.send({ ...list, id: 1 }, answer, call);
    else host.send({ ...list, id: 1 }, { ...list, id: 'load', params: {} }, answer, { ...list, id: 2 });
    expect(await host.next()).toMatchObject({ id: 1, result: { stored: 'list' } });
    if (when === 'after the server is loaded') {
      expect(await host.next()).toMatchObject({ id: 'load' });
      expect(await host.next()).toMatchObject({ id: 2 });
      host.send(call);
    }
    expect(await host.next()).toMatchObject({ id: 'call', result: { content: [{ text: 'novel' }] } });
  },
);

test('a question that the environment answers is not asked, as without first answers', async () => {
  const host = start({ env: { CLAUDE_PROJECT_DIR: '/home/anna/novel' } });
  host.send({ ...greeting({ roots: {} }), id: 0 }, initialized, { ...list, id: 1 }, call);
  await host.next();
  expect(await host.next()).toMatchObject({ id: 1, result: { stored: 'list' } });
  expect((await host.loaded)?.questionPrefix).toBe(undefined);
});

test.each([
  { args: ['--user', 'anna', '--user=ben', '--quiet'], first: 'greeting' },
  { args: ['--theme', 'blue'] },
  { args: ['doctor'] },
  { env: { PROJECT_TOOLS: '', PROJECT_THEME: 'dark', PROJECT_USER: 'anna' }, first: 'greeting' },
  { env: { PROJECT_THEME: 'blue' } },
  { env: { PROJECT_TOOLS: 'all' } },
  { client: 'different-client' },
  { client: 'not-different-client', first: 'greeting' },
  // Which are too old for the server, too: it says so.
  { node: '20.20.2' },
  { node: '22.17.9' },
])(
  '$args $env $client $node: the first answer is the $first of the file',
  async ({ client, first, ...process }) => {
    const host = start(process);
    host.send({ ...greeting({}, client), id: 0 });
    const stored = { id: 0, result: { stored: first } };
    expect(await host.next()).toMatchObject(
      first === undefined ? { id: 0, result: { serverInfo: {} } } : stored,
    );
  },
);

test.each([
  ['another type', { ...greeting({}), id: 0, params: { ...greeting({}).params, protocolVersion: 1 } }],
  [
    'another version',
    { ...greeting({}), id: 0, params: { ...greeting({}).params, protocolVersion: '2025-06-18' } },
  ],
  ['a further member', { ...greeting({}), id: 0, further: 1 }],
  ['an id that is neither a text nor a whole number', { ...greeting({}), id: 0.5 }],
  ['no id', greeting({})],
  ['another shape in a list', [greeting({})]],
])('a message with %s loads the server', async (_, message) => {
  const host = start();
  host.send(JSON.stringify(message));
  expect((await host.loaded)?.exchanges).toStrictEqual([]);
});

test('the members of a message may have any order, and its texts any length', async () => {
  const host = start({ node: '22.18.0' });
  const { params, method } = greeting({}, 'x'.repeat(30_000));
  const reversed = Object.fromEntries(Object.entries(params).toReversed());
  host.send(JSON.stringify({ id: 0, params: reversed, method, jsonrpc: '2.0' }));
  // Longer than a recorded message: but its end came with its beginning.
  expect(await host.next()).toMatchObject({ result: { stored: 'greeting' } });
});

test('a message that has no end is left to the server', async () => {
  const host = start();
  host.stdin.write('x'.repeat(20_000));
  expect((await host.loaded)?.rest).toHaveLength(20_000);
});

test.each(['SIGTERM', 'SIGINT', 'the end of stdin', 'an error of stdin'])(
  '%s ends a process without a server',
  async (event) => {
    const host = start();
    host.send({ ...greeting({}), id: 0 });
    await host.next();
    if (event === 'the end of stdin') host.stdin.end();
    else if (event === 'an error of stdin') host.stdin.destroy(new Error('gone'));
    else host.signal(event);
    expect(await host.exited).toBe(0);
  },
);

test('a process without a server ends also if its client reads nothing', async () => {
  const path = join(temporaryFolder().path, 'socket');
  const server = createServer({ pauseOnConnect: true }).listen(path);
  await once(server, 'listening');
  const stdout = connect(path);
  onTestFinished(() => {
    stdout.destroy();
    server.close();
  });
  stdout.write('x'.repeat(4 * 2 ** 20));
  const host = start({ stdout });
  host.stdin.end();
  expect(await host.exited).toBe(0);
}, 60_000);

test('without a file the server is loaded at once', async () => {
  const missing = pathToFileURL(join(temporaryFolder().path, 'none.json'));
  expect(await firstAnswers(missing, process)).toBeUndefined();
});
