import { readFileSync, rmSync, statSync } from 'node:fs';
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

const CLI = join(import.meta.dirname, 'cli.ts');
const ERAS = ['legacy', 'modern'] as const;
const me = { user_id: 'me' };

function deskside(home: string, args: readonly string[], env: Record<string, string> = {}): Command {
  return { command: process.execPath, args: [CLI, ...args], env: { ...cleanEnvironment(home), ...env } };
}

test.each(ERAS)('deskside stdio in the %s era', async (era) => {
  const home = temporaryFolder();
  await using peer = await connectStdio(
    deskside(home, ['stdio'], { TODO_DATABASE_URL: join(home, 'mine.sqlite') }),
    { era },
  );
  expect(firstText(await peer.callTool('todo_add_task', { ...me, title: 'Milk' }))).toContain('"task_id":1');
  expect(statSync(join(home, 'mine.sqlite')).size).toBeGreaterThan(0);
});

test('every server of the family is mounted, under names that never change', async () => {
  await using peer = await connectStdio(deskside(temporaryFolder(), ['stdio']), { era: 'modern' });
  const names = (await peer.listTools()).map(({ name }) => name);
  await expect(`${names.join('\n')}\n`).toMatchFileSnapshot('../tools.txt');
  const { prompts } = await peer.client.listPrompts();
  expect(prompts.map(({ name }) => name)).toContain('popup_notify');
  for (const mount of ['log', 'manictime', 'popup', 'toast', 'todo']) {
    expect(names.filter((name) => name.startsWith(`${mount}_`))).not.toHaveLength(0);
  }
});

test('deskside http: the first start shows a configuration that works', async () => {
  const home = temporaryFolder();
  await using server = startProgram(deskside(home, ['http', '--port', '0']));
  await server.printed(/token show/);
  const configuration = JSON.parse(/^\{[^]*?^\}/m.exec(server.stdout())?.[0] ?? '');
  const { url, headers } = configuration.mcpServers.deskside;
  const token = headers.Authorization.replace('Bearer ', '');
  expect(readFileSync(join(home, 'data/deskside/token'), 'utf8').trim()).toBe(token);
  expect(server.stdout()).toMatch(/todo +http:\/\/127\.0\.0\.1:\d+\/mcp\/todo {2}\(5 tools\)/);
  for (const era of ERAS) {
    await using whole = await connectHttp(url, { era, token });
    await whole.callTool('todo_add_task', { ...me, title: era });
    await using alone = await connectHttp(`${url}/todo`, { era, token });
    expect(firstText(await alone.callTool('list_tasks', me))).toContain(`"title":"${era}"`);
  }
  expect(await fetch(url, { method: 'POST' })).toMatchObject({ status: 401 });

  await using second = startProgram(deskside(home, ['http', '--port', new URL(url).port]));
  expect(await second.exited).toBe(1);
  const { port } = new URL(url);
  expect(second.stderr()).toBe(
    `deskside: Port ${port} is taken. Choose another: --port ${Number(port) + 1}\n`,
  );

  await using shown = startProgram(deskside(home, ['token', 'show']));
  expect(await shown.exited).toBe(0);
  expect(shown.stdout()).toBe(`${token}\n`);
});

/** Starts, waits until all is said, ends; answers what stood on the terminal. */
async function saidBy(home: string, env: Record<string, string> = {}): Promise<string> {
  await using server = startProgram(deskside(home, ['http', '--port', '0'], env));
  await server.printed(/Clients send|token show/);
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  return server.stdout() + server.stderr();
}

test('the configuration is shown once: not by a start that failed, nor lost because the token was there', async () => {
  const home = temporaryFolder();
  await using failed = startProgram(deskside(home, ['http', '--host', '203.0.113.1']));
  expect(await failed.exited).toBe(1);
  await using shown = startProgram(deskside(home, ['token', 'show']));
  await shown.exited;
  const token = shown.stdout().trim();
  expect(failed.stdout() + failed.stderr()).not.toContain(token);

  expect(await saidBy(home)).toContain(`"Authorization": "Bearer ${token}"`);
  const later = await saidBy(home);
  expect(later).not.toContain(token);
  expect(later).toContain(`${join(home, 'data/deskside/token')}; \`deskside token show\` prints it.`);
  expect(statSync(join(home, 'data/deskside/token-shown')).mode & 0o777).toBe(0o600);

  rmSync(join(home, 'data/deskside/token'));
  expect(await saidBy(home)).toContain('"Authorization": "Bearer ');
});

test('a token from the environment is never shown', async () => {
  const said = await saidBy(temporaryFolder(), { DESKSIDE_TOKEN: 'a-long-enough-token' });
  expect(said).toContain('Clients send the bearer token in DESKSIDE_TOKEN.');
  expect(said).not.toContain('a-long-enough-token');
});

test('one line a call on stderr, without its arguments', async () => {
  const token = 'a-long-enough-token';
  await using server = startProgram(
    deskside(temporaryFolder(), ['http', '--port', '0'], { DESKSIDE_TOKEN: token }),
  );
  const [, url = ''] = await server.printed(/serves MCP at (\S+)/);
  await using peer = await connectHttp(url, { era: 'modern', token });
  await peer.callTool('todo_add_task', { ...me, title: 'a secret title' });
  await server.printed(/todo_add_task/);
  const line =
    server
      .stderr()
      .split('\n')
      .find((each) => each.includes('todo_add_task')) ?? '';
  expect(JSON.parse(line)).toMatchObject({
    level: 'info',
    method: 'tools/call',
    subject: 'todo_add_task',
    outcome: 'ok',
    client: 'testkit',
  });
  expect(server.stderr()).not.toContain('secret');
});

test('SIGTERM ends it cleanly with clients connected', async () => {
  const token = 'a-long-enough-token';
  await using server = startProgram(
    deskside(temporaryFolder(), ['http', '--port', '0'], { DESKSIDE_TOKEN: token }),
  );
  const [, url = ''] = await server.printed(/serves MCP at (\S+)/);
  for (const era of ERAS) {
    const peer = await connectHttp(url, { era, token });
    await peer.listTools();
  }
  server.child.kill('SIGTERM');
  // A process that can't close in time ends itself with 1.
  expect(await server.exited).toBe(0);
});

test.each([
  [[], 'Say what to do: "deskside stdio", "deskside http", "deskside token show". See --help.'],
  [['htp'], 'There is no "htp": "deskside stdio", "deskside http", "deskside token show". See --help.'],
  [['token'], 'There is no "token": "deskside stdio", "deskside http", "deskside token show". See --help.'],
  [['http', '--host', '203.0.113.1'], '203.0.113.1 is no address of this machine. Use --host 127.0.0.1'],
  [['http', '--host', ''], '--host: use an address such as 127.0.0.1. See --help.'],
  [['stdio', '--port', '1'], "Unknown option '--port'. See --help."],
])('deskside %j says what would be right', async (args, message) => {
  await using program = startProgram(deskside(temporaryFolder(), args));
  expect(await program.exited).toBe(1);
  expect(program.stderr()).toBe(`deskside: ${message}\n`);
  expect(program.stdout()).toBe('');
});
