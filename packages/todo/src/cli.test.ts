import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  cleanEnvironment,
  type Command,
  connectHttp,
  connectStdio,
  firstText,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { expect, test } from 'vitest';
import { startWorker } from './store/testing/worker.ts';

const CLI = join(import.meta.dirname, 'cli.ts');
const ERAS = ['legacy', 'modern'] as const;
const me = { user_id: 'me' };

function todo(home: string, args: readonly string[] = [], env: Record<string, string> = {}): Command {
  return { command: process.execPath, args: [CLI, ...args], env: { ...cleanEnvironment(home), ...env } };
}

test.each(ERAS)(
  'over stdio in the %s era: add, list, and the task is there in the next process',
  async (era) => {
    const home = temporaryFolder();
    {
      await using peer = await connectStdio(todo(home), { era });
      expect((await peer.listTools()).map(({ name }) => name)).toContain('add_task');
      expect(firstText(await peer.callTool('add_task', { ...me, title: 'Milk' }))).toBe(
        '{"task_id":1,"status":"created","title":"Milk"}',
      );
    }
    await using peer = await connectStdio(todo(home), { era });
    expect(firstText(await peer.callTool('list_tasks', me))).toContain('"title":"Milk"');
    const database = join(home, 'data/deskside/todo.sqlite');
    expect(statSync(database).mode & 0o777).toBe(0o600);
  },
);

test('over HTTP in both eras, with the token that was made', async () => {
  const home = temporaryFolder();
  await using server = startProgram(todo(home, ['--http', '--port', '0']));
  const [, url = ''] = await server.printed(/serves MCP at (\S+)\n/);
  const [, file = ''] = await server.printed(/bearer token in (\S+)\./);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const token = readFileSync(file, 'utf8').trim();
  for (const era of ERAS) {
    await using peer = await connectHttp(url, { era, token });
    await peer.callTool('add_task', { ...me, title: era });
    expect(firstText(await peer.callTool('list_tasks', me))).toContain(`"title":"${era}"`);
    await expect(connectHttp(url, { era, token: 'wrong' })).rejects.toThrow(/401|Unauthorized/);
  }
  expect(server.stdout() + server.stderr()).not.toContain(token);
});

test('two users on one file neither see nor change nor detect each other', async () => {
  const home = temporaryFolder();
  const of = (user: string) => connectStdio(todo(home, ['--user', user]), { era: 'modern' });
  await using anna = await of('anna');
  await using ben = await of('ben');
  await anna.callTool('add_task', { ...me, title: 'Annas' });
  await anna.callTool('add_task', { ...me, title: 'second' });
  expect(firstText(await ben.callTool('list_tasks', me))).toBe('[]');
  expect(firstText(await ben.callTool('list_tasks', { user_id: 'anna' }))).toBe('{"error":"User not found"}');
  expect(await ben.callTool('list_tasks', { user_id: 'anna' })).toStrictEqual(
    await ben.callTool('list_tasks', { user_id: 'nobody' }),
  );
  expect(firstText(await ben.callTool('delete_task', { ...me, task_id: 1 }))).toBe(
    '{"error":"Task not found","task_id":1}',
  );
  expect(firstText(await ben.callTool('add_task', { ...me, title: 'Bens' }))).toContain('"task_id":1');
  expect(firstText(await anna.callTool('list_tasks', me))).toMatch(/second.*Annas/);
});

// The lock is let go after the last answer, so a server that stood still would answer BUSY in the end.
test('while another process holds the lock, /healthz and other calls are answered', async () => {
  const home = temporaryFolder();
  const file = join(home, 'todo.sqlite');
  const options = ['--http', '--port', '0', '--database', file];
  await using server = startProgram(todo(home, options, { DESKSIDE_TOKEN: 'a-long-enough-token' }));
  const [, url = ''] = await server.printed(/serves MCP at (\S+)\n/);
  await using peer = await connectHttp(url, { era: 'modern', token: 'a-long-enough-token' });
  await peer.callTool('add_task', { ...me, title: 'before' });

  const holder = startWorker('lock-holder.ts');
  holder.tell(file);
  await holder.printed(1);
  const waiting = peer.callTool('add_task', { ...me, title: 'waiting' });
  for (let round = 0; round < 5; round += 1) {
    const [health, tools] = await Promise.all([fetch(new URL('/healthz', url)), peer.listTools()]);
    expect(health.status).toBe(200);
    expect(tools).toHaveLength(5);
  }
  holder.go();
  expect(firstText(await waiting)).toBe('{"task_id":2,"status":"created","title":"waiting"}');
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it with exit code 0', async (signal) => {
  for (const args of [[], ['--http', '--port', '0']]) {
    await using server = startProgram(
      todo(temporaryFolder(), args, { DESKSIDE_TOKEN: 'a-long-enough-token' }),
    );
    if (args.length === 0) {
      server.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
      await server.printed(/"id":1/);
    } else {
      await server.printed(/serves MCP/);
    }
    server.child.kill(signal);
    expect(await server.exited).toBe(0);
  }
});

test('the end of stdin ends it, and stdout held JSON-RPC only', async () => {
  await using server = startProgram(todo(temporaryFolder()));
  server.child.stdin.write('not json\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  server.child.stdin.end();
  expect(await server.exited).toBe(0);
  const lines = server
    .stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ jsonrpc, id }) => [jsonrpc, id])).toStrictEqual([
    ['2.0', null],
    ['2.0', 1],
  ]);
});

test.each([
  [['--port', 'x'], {}, '--port: use a port from 0 to 65535'],
  [['--database', 'postgres://localhost/x'], {}, '--database: PostgreSQL is not supported yet'],
  [
    [],
    { TODO_DATABASE_URL: 'mysql://me:secret@localhost/x' },
    'TODO_DATABASE_URL: mysql: is not supported; give the path of a file. See --help.',
  ],
  [['--database', ''], {}, '--database: give the path of a file. See --help.'],
  [['--user', ''], {}, '--user: give an id such as owner. See --help.'],
  [[], { DESKSIDE_LOG_LEVEL: 'loud' }, 'DESKSIDE_LOG_LEVEL: use one of error, warn, info, debug'],
  [['--nope'], {}, "Unknown option '--nope'"],
  [['--http'], { DESKSIDE_TOKEN: 'short' }, 'DESKSIDE_TOKEN: use at least 16 '],
])('%j %j stops the start with one line', async (args, env, message) => {
  await using server = startProgram(todo(temporaryFolder(), args, env));
  expect(await server.exited).toBe(1);
  expect(server.stdout()).toBe('');
  expect(server.stderr()).toContain(`deskside-todo: ${message}`);
  expect(server.stderr().trim().split('\n')).toHaveLength(1);
});

test.each([
  ['a folder', (home: string) => home],
  ['no database', () => CLI],
  ['a folder that cannot be made', () => '/proc/nowhere/deep/todo.sqlite'],
])('%s for a database is an error of the call, with the reason in the log', async (_, path) => {
  const home = temporaryFolder();
  await using peer = await connectStdio(todo(home, ['--database', path(home)]), { era: 'modern' });
  const answer = await peer.callTool('list_tasks', me);
  expect(answer.isError).toBe(true);
  expect(JSON.parse(firstText(answer))).toMatchObject({ code: 'UNAVAILABLE' });
  expect(firstText(answer)).not.toContain(home);
  expect(await peer.listTools()).toHaveLength(5);
});
