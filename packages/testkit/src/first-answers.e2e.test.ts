import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { firstMessages, unpreparedServer } from './first-messages.ts';
import { cleanEnvironment, startProgram } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { chosenRows, isChosen } from './chosen.ts';

const PACKAGES = join(import.meta.dirname, '../..');
const todo = join(PACKAGES, 'todo/dist/bin');

/** Servers whose first answers are stored when they are built. */
const prepared = globSync('*/src/cli.ts', { cwd: PACKAGES })
  .map((file) => dirname(dirname(file)))
  .filter((id) => id !== 'log-notify')
  .map((id) => ({ id, bin: join(PACKAGES, id, 'dist/bin') }));

const UNKNOWN_TOOL = { method: 'tools/call', params: { name: 'no_such_tool', arguments: {} } };
/** Each of them would be a module of the server. */
const LOADED = /\/dist\/bin\/(?!cli\.js)/;

interface Run {
  readonly lines: readonly string[];
  readonly stderr: string;
  readonly code: number | null;
  readonly loaded: readonly string[];
  /** Before the call. */
  readonly loadedFirst: readonly string[];
}

/** A line that follows when the program has printed so many lines. */
interface Call {
  readonly line: string;
  readonly after: number;
}

/** Runs a program with this input, and lists the modules that it loads. */
async function run(
  args: readonly string[],
  input: readonly string[],
  env: Readonly<Record<string, string>> = {},
  call?: Call,
): Promise<Run> {
  const home = temporaryFolder();
  const trace = join(home, 'loaded');
  const hook = join(home, 'trace.mjs');
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs';
     import { registerHooks } from 'node:module';
     registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(trace)}, url + '\\n'); return next(url, context); } });`,
  );
  const options = `--import=${hook}`;
  await using program = startProgram({
    command: process.execPath,
    args,
    env: { ...cleanEnvironment(home), NODE_OPTIONS: options, ...env },
  });
  const modules = () =>
    readFileSync(trace, 'utf8')
      .split('\n')
      .filter((url) => LOADED.test(url));
  for (const text of input) program.child.stdin.write(text);
  if (call !== undefined) await program.printed(new RegExp(`^(?:.*\\n){${call.after}}`));
  const loadedFirst = call === undefined ? [] : modules();
  program.child.stdin.end(call?.line);
  const code = await program.exited;
  const loaded = modules();
  // A server chooses the ids of its own requests. Requests that run at the same time may end in any order.
  const lines = program
    .stdout()
    .replaceAll(home, 'HOME')
    .replaceAll(/[\da-f-]{36}\/0/g, 'ID')
    .split('\n')
    .toSorted();
  const stderr = program.stderr().replace(/"time":"[^"]+"/, '');
  return { lines, stderr, code, loaded, loadedFirst };
}

function envelope(message: object, id: unknown): string {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const { params = {}, ...request } = message as { readonly params?: object };
  return `${JSON.stringify({ jsonrpc: '2.0', id, ...request, params: { ...params, _meta: meta } })}\n`;
}

const asLine = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const initialize = asLine({
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
const initialized = asLine({ method: 'notifications/initialized' });
const list = asLine({ id: 1, method: 'tools/list' });

describe.each(prepared)('deskside-$id', ({ id, bin }) => {
  const cli = join(bin, 'cli.js');

  // Each starts two programs: the one that differs and some more.
  const entries = Object.entries(firstMessages);
  const started = entries.filter(
    ([name], place) => (id === 'todo' && name.startsWith('Gemini')) || isChosen(place, 8),
  );
  test.each(started)(
    'answers the start of %s with the same bytes as its server, which is loaded for a call',
    async (_, messages) => {
      const start = messages.map((line) => `${line}\n`);
      const call = messages.some((message) => message.includes('"initialize"'))
        ? asLine({ id: 'call', ...UNKNOWN_TOOL })
        : envelope(UNKNOWN_TOOL, 'call');
      const expected = await run(unpreparedServer(bin), [...start, call]);
      const after = expected.lines.filter((line) => line !== '' && !line.includes('"id":"call"')).length;

      const answered = await run([cli], start, {}, { line: call, after });
      expect(answered).toMatchObject({ lines: expected.lines, code: 0, stderr: '' });
      if (start[0]?.includes('gemini-cli-mcp-client')) expect(answered.loadedFirst).not.toStrictEqual([]);
      else expect(answered.loadedFirst).toStrictEqual([]);
      expect(answered.loaded).not.toStrictEqual([]);
    },
  );
});

/** What is not in the recorded shapes, and what else a connection may bring. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  nothing: [],
  'a line in pieces': `${initialize}${list}`.split(''),
  'all lines in one piece': [[initialize, initialized, list].join('')],
  'Windows line ends': [initialize.replace('\n', '\r\n'), list],
  'a malformed line between requests': [initialize, '{"jsonrpc":\n', list],
  'ids of every type': [
    initialize,
    ...['text', '', '"', 0, -1, 9_007_199_254_740_991, 1.5, null, true, [1], { a: 1 }, 1e21].map((id) =>
      asLine({ id, method: 'ping' }),
    ),
  ],
  'an id twice': [initialize, list, list],
  'a notification with an id': [initialize, asLine({ id: 5, method: 'notifications/initialized' })],
  'an answer that was never asked for': [initialize, asLine({ id: 9, result: {} }), list],
  'a log level and a call': [
    initialize,
    asLine({ id: 1, method: 'logging/setLevel', params: { level: 'debug' } }),
    asLine({ id: 2, ...UNKNOWN_TOOL }),
  ],
  'a later handshake of the other era': [envelope({ method: 'server/discover' }, 0), initialize, list],
  'a subscription that is open when the server is loaded': [
    envelope({ method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } }, 's'),
    envelope(UNKNOWN_TOOL, 1),
  ],
  'a subscription that ends': [
    envelope({ method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } }, 's'),
    asLine({ method: 'notifications/cancelled', params: { requestId: 's' } }),
    envelope({ method: 'tools/list' }, 1),
  ],
};

test.each(chosenRows(Object.entries(SCRIPTS), 6))(
  '%s: the same output as without first answers',
  async (_, input) => {
    const [answered, expected] = [
      await run([join(todo, 'cli.js')], input),
      await run(unpreparedServer(todo), input),
    ];
    expect(answered).toMatchObject({ lines: expected.lines, code: expected.code, stderr: expected.stderr });
  },
);

test.each([
  { args: ['--tools', 'core'] },
  { env: { TODO_TOOLS: 'core' } },
  { env: { TODO_DATABASE_URL: 'mysql://example.org/x' } },
])('$args $env: the server is loaded at once', async ({ args = [], env = {} }) => {
  const input = [initialize, list];
  const answered = await run([join(todo, 'cli.js'), ...args], input, env);
  const expected = await run(unpreparedServer(todo, args), input, env);
  expect(answered).toMatchObject({ lines: expected.lines, code: expected.code, stderr: expected.stderr });
  expect(answered.loaded).not.toStrictEqual([]);
});

test('options that change no list do not load the server', async () => {
  const input = [initialize, initialized, list];
  const [args, env] = [['--user', 'anna', '--user=ben'], { DESKSIDE_LOG_LEVEL: '', TODO_TOOLS: '' }];
  const answered = await run([join(todo, 'cli.js'), ...args], input, env);
  expect(answered.lines).toStrictEqual((await run(unpreparedServer(todo, args), input, env)).lines);
  expect(answered.loaded).toStrictEqual([]);
});

test('what a module prints that is loaded before the bin goes to stderr, before and after the server is loaded', async () => {
  const home = temporaryFolder();
  const agent = join(home, 'agent.mjs');
  // It prints with each message, and reads none itself.
  writeFileSync(
    agent,
    `const { emit } = process.stdin;
     process.stdin.emit = function (name, ...values) {
       if (name === 'data') { console.log('log'); process.stdout.write('write\\n'); }
       return emit.call(this, name, ...values);
     };`,
  );
  await using program = startProgram({
    command: process.execPath,
    args: [`--import=${agent}`, join(todo, 'cli.js')],
    env: cleanEnvironment(home),
  });
  program.child.stdin.write(initialize);
  await program.printed(/"id":0/);
  program.child.stdin.end(asLine({ id: 'call', ...UNKNOWN_TOOL }));
  expect(await program.exited).toBe(0);
  const lines = program.stdout().trim().split('\n');
  const messages = lines.map((line) => JSON.parse(line) as { readonly id: unknown });
  expect(messages.map(({ id }) => id)).toStrictEqual([0, 'call']);
  expect(program.stderr()).toMatch(/^(?:log\nwrite\n){2}/);
});

test('a client that closes its end of stdout ends the server', async () => {
  await using program = startProgram({
    command: process.execPath,
    args: [join(todo, 'cli.js')],
    env: cleanEnvironment(temporaryFolder()),
  });
  program.child.stdout.destroy();
  for (let id = 0; id < 3; id += 1) program.child.stdin.write(initialize);
  expect(await program.exited).toBe(0);
});
