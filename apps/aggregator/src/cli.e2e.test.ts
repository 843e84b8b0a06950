import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  cleanEnvironment,
  connectHttp,
  connectStdio,
  firstText,
  chosenRows,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import type { Flags } from '@deskside/core/program';
import { expect, test, vi } from 'vitest';
import { connect } from './commands/connect.ts';
import { doctor } from './commands/doctor.ts';
import { program } from './commands/index.ts';
import { runCommand, SELF } from './testing/commands.ts';
import { deskHome } from './testing/desk-home.ts';
import { userHome } from './testing/user-home.ts';
import { tokenStore } from './tokens/tokens.ts';

const ERAS = ['legacy', 'modern'] as const;
const me = { user_id: 'me' };

/** Mount ids never change: people and models use the names that contain them. */
const PACKAGES: Readonly<Record<string, string>> = {
  log: 'log-notify',
  manictime: 'manictime',
  popup: 'notify-popup',
  toast: 'ui-toast',
  todo: 'todo',
};

const packagesFolder = join(import.meta.dirname, '../../../packages');

/** In the aggregator todo offers the tools of its contract only, unless this is set. */
const ALL_TOOLS = { TODO_TOOLS: 'all' };

function toolNames(name: string): readonly string[] {
  const file = join(packagesFolder, name, 'tools.json');
  return JSON.parse(readFileSync(file, 'utf8')).map((tool: { name: string }) => tool.name);
}

test('deskside stdio mounts every server package with all tools of its tools.json', async () => {
  const expected = Object.entries(PACKAGES).flatMap(([mount, name]) =>
    toolNames(name).map((tool) => `${mount}_${tool}`),
  );
  expect(globSync('*/tools.json', { cwd: packagesFolder }).map(dirname).toSorted()).toStrictEqual(
    Object.values(PACKAGES).toSorted(),
  );
  const ids = Object.keys(PACKAGES).join(',');
  const command = deskHome().command(['stdio', '--mounts', ids], ALL_TOOLS);
  const capabilities = { extensions: { 'io.modelcontextprotocol/ui': {} } };
  await using peer = await connectStdio(command, { era: 'modern', capabilities });
  expect((await peer.listTools()).map(({ name }) => name).toSorted()).toStrictEqual(expected.toSorted());
  const { prompts } = await peer.client.listPrompts();
  expect(prompts.map(({ name }) => name)).toContain('popup_notify');
});

test('deskside http serves all mounts at /mcp and each at /mcp/<mount>, with the token of its file and others, and names the clients of this machine', async () => {
  const { home, command } = deskHome();
  for (const folder of ['.cursor', '.codex']) mkdirSync(join(home, folder, 'own'), { recursive: true });
  await using server = startProgram(command(['http', '--port', '0'], ALL_TOOLS));
  await server.printed(/token show/);
  const [, url = ''] = /serves MCP at (\S+)/.exec(server.stdout()) ?? [];
  const token = readFileSync(join(home, 'data/deskside/token'), 'utf8').trim();
  expect(server.stdout()).not.toContain(token);
  expect(server.stdout()).toContain(`${url}/todo  (${toolNames('todo').length} tools)\n`);
  const suggested = [
    'Clients on this machine, and how to connect each:',
    '  Cursor  deskside connect cursor',
    '  Codex   deskside connect codex',
    '',
  ];
  expect(server.stdout()).toContain(suggested.join('\n'));
  expect(server.stdout()).not.toContain('Gemini');
  for (const era of ERAS) {
    await using whole = await connectHttp(url, { era, token });
    await whole.callTool('todo_add_task', { ...me, title: era });
    await using alone = await connectHttp(`${url}/todo`, { era, token });
    expect(firstText(await alone.callTool('list_tasks', me))).toContain(`"title":"${era}"`);
  }
  const tokens = tokenStore(join(home, 'data/deskside/tokens.json'));
  await using laptop = await connectHttp(url, {
    era: 'modern',
    token: await tokens.create({ name: 'laptop' }),
  });
  expect(firstText(await laptop.callTool('todo_list_tasks', me))).toContain('"title":"legacy"');
  expect(await fetch(url, { method: 'POST' })).toMatchObject({ status: 401 });
});

test('deskside stdio serves the other mounts if a setting of one is wrong, and prints what to correct', async () => {
  const env = { NOTIFY_POPUP_HISTORY_LIMIT: 'many' };
  await using started = startProgram(deskHome().command(['stdio', '--standalone'], env));
  await started.printed(
    /^Mount manictime is dormant: No ManicTime data was found\. Set data_dir under \[mounts\.manictime\]/m,
  );
  await started.printed(
    /^Mount popup is degraded: NOTIFY_POPUP_HISTORY_LIMIT: use an integer from 0 to 50\. Correct it, then restart Deskside\.$/m,
  );
  started.child.stdin.end();
  expect(await started.exited).toBe(0);
  expect(started.stdout()).toBe('');
});

test('deskside open starts a desk if none is running', async () => {
  const desk = deskHome();
  await using opened = startProgram(desk.command(['open'], { DISPLAY: '' }));
  expect(await opened.exited).toBe(1);
  expect(opened.stderr()).toContain('The desk could not open your browser.');
  expect(await desk.run('status')).toMatch(/^Desk .*, serving since/);
});

// A bundler cannot follow every import of a dependency, and only running shows it.
test('every command of the built program loads', async () => {
  const { command } = deskHome();
  for (const words of chosenRows(Object.keys(program(SELF).commands), 8)) {
    await using started = startProgram(command([...words.split(' '), '--help']));
    expect([words, await started.exited, started.stderr()]).toStrictEqual([words, 0, '']);
    expect(started.stdout()).toContain(`Usage: deskside ${words}`);
  }
});

test('deskside doctor lists every mount and fails if the address cannot be used; http names no clients when one is connected', async () => {
  const { home, command } = deskHome();
  mkdirSync(join(home, '.cursor'));
  await using good = startProgram(command(['doctor', '--port', '0', '--all']));
  // The popup's own doctor: this home has no display.
  expect(await good.exited).toBe(1);
  for (const mount of Object.keys(PACKAGES)) {
    expect(good.stdout()).toMatch(new RegExp(`^Mount ${mount} +(?:ready|dormant), \\d+ tools?$`, 'm'));
  }
  expect(good.stdout()).toContain(join(home, 'data/deskside/token'));
  expect(good.stdout()).toMatch(/^deskside .*\n\nProblems:\n {2}✗ popup: No display was found\..*\n.*\n\n/);
  expect(existsSync(join(home, 'data/deskside/token'))).toBe(false);

  userHome(home);
  vi.stubEnv('HOME', home);
  const env = cleanEnvironment(home);
  expect(await runCommand(connect(SELF), { operands: ['cursor'], env })).toMatchObject({ code: 0 });
  await using serving = startProgram(command(['http', '--port', '0']));
  const [url = '', port = ''] = await serving.printed(/http:\/\/127\.0\.0\.1:(\d+)\/mcp$/m);
  await serving.printed(/token show/);
  expect(serving.stdout()).not.toContain('connect');
  expect(serving.stdout()).toContain(
    `${join(home, 'data/deskside/token')}. To print it: deskside token show`,
  );
  const examined = (flags: Flags) =>
    runCommand(doctor(SELF), { flags: { ...flags, 'no-mounts': 'popup' }, env });
  const served = `${url}, served by the running desk (process ${serving.child.pid})`;
  expect(await examined({ port })).toMatchObject({ code: 0, stdout: expect.stringContaining(served) });
  const bad = expect.stringContaining('Problems:\n  ✗ 203.0.113.1');
  expect(await examined({ host: '203.0.113.1' })).toMatchObject({ code: 1, stdout: bad });
});

test('the README example serves its own mount next to the built-in mounts', async () => {
  const home = temporaryFolder();
  await using program = startProgram({
    command: process.execPath,
    args: [join(import.meta.dirname, 'testing/readme-example.ts')],
    env: { ...cleanEnvironment(home), PORT: '0' },
  });
  const [, url = ''] = await program.printed(/Serving at (\S+)/);
  const token = readFileSync(join(home, 'data/deskside/token'), 'utf8').trim();
  await using peer = await connectHttp(url, { era: 'modern', token });
  const names = (await peer.listTools()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['weather_forecast', 'todo_add_task']));
  expect(firstText(await peer.callTool('weather_forecast'))).toBe('Oslo: sunny');
});

test('the container image starts a server that answers without a screen', async () => {
  const dockerfile = readFileSync(join(packagesFolder, '../docker/Dockerfile'), 'utf8');
  expect(JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '[]')).toStrictEqual(['deskside']);
  const args: string[] = JSON.parse(/^CMD (\[".*)$/m.exec(dockerfile)?.[1] ?? '[]');
  const env = { DESKSIDE_TOKEN: 'a-token-of-the-container' };
  await using server = startProgram(deskHome().command([...args, '--port', '0'], env));
  const [, port = ''] = await server.printed(/http:\/\/[^/\s]+:(\d+)\/mcp/);
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
});
