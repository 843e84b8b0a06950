import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectStdio, chosenRows } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { CLIENTS, tableInJson, tableInToml } from '@deskside/connect';
import { runCommand, SELF } from '../testing/commands.ts';
import { machine } from '../testing/machine.ts';
import { connect } from './connect.ts';
import { tokenList } from './token.ts';

const ENTRY = (name: string) => ({
  command: 'npx',
  args: ['-y', '@deskside/aggregator', 'stdio', '--as', name],
});

test('the entry of each client has its form', async () => {
  const { run, fileOf } = machine(['claude']);
  for (const { id } of CLIENTS) expect(await run(id)).toMatchObject({ code: 0, stderr: '' });
  const json = (id: string) => JSON.parse(readFileSync(fileOf(id), 'utf8'));
  expect(json('claude-code').mcpServers.deskside).toStrictEqual({ type: 'stdio', ...ENTRY('claude-code') });
  expect(json('claude-desktop')).toStrictEqual({ mcpServers: { deskside: ENTRY('claude-desktop') } });
  expect(json('vscode').servers.deskside).toStrictEqual({ type: 'stdio', ...ENTRY('vscode') });
  expect(json('cursor')).toStrictEqual({ mcpServers: { deskside: ENTRY('cursor') } });
  expect(json('gemini').mcpServers.deskside).toStrictEqual({ ...ENTRY('gemini'), timeout: 86_400_000 });
  expect(readFileSync(fileOf('codex'), 'utf8')).toMatch(
    /^\[mcp_servers\.deskside\]\ncommand = "npx"\nargs = \[.*"--as", "codex" \]\nenv_vars = \[ "DISPLAY", "WAYLAND_DISPLAY", .*\ntool_timeout_sec = 86400\n/,
  );
});

test('another server with the name deskside in Claude Code is not replaced', async () => {
  const { run, write } = machine(['claude']);
  const file = write('claude-code', '{"mcpServers":{"deskside":{"command":"mine"}}}');
  expect((await run('claude-code')).stderr).toBe(
    'Claude Code has another server "deskside". Remove it first: claude mcp remove --scope user deskside\n',
  );
  expect(readFileSync(file, 'utf8')).toContain('mine');
});

test.each(CLIENTS.filter(({ hasHttp }) => hasHttp))(
  'connect --http gives $title a token of its name, and undo revokes it',
  async ({ id }) => {
    const { run, fileOf } = machine(['claude']);
    const dry = await run(id, { http: true, 'dry-run': true });
    expect(dry).toMatchObject({ code: 0 });
    expect((await runCommand(tokenList)).stdout).toContain('No tokens');
    const ran = await run(id, { http: true, port: '4000' });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const text = readFileSync(fileOf(id), 'utf8');
    const [token = 'none'] = /deskside_[\w-]{43}/.exec(text) ?? [];
    expect(text).toContain(`Bearer ${token}`);
    expect(text).toContain('http://127.0.0.1:4000/mcp');
    expect(ran.stdout).not.toContain(token);
    expect(statSync(fileOf(id)).mode & 0o777).toBe(0o600);
    if (id === 'claude-code') expect(readFileSync(`${fileOf(id)}.arguments`, 'utf8')).not.toContain(token);
    expect((await runCommand(tokenList)).stdout).toMatch(new RegExp(`^${id} `));
    expect((await run(id)).stderr).toContain(`Run "deskside connect ${id} --undo" first.`);
    expect(await run(id, { undo: true })).toMatchObject({ code: 0 });
    expect((await runCommand(tokenList)).stdout).toContain('No tokens');
  },
);

// Each starts a server: the differences between the clients are in the entries.
test.each(chosenRows(CLIENTS, 8))(
  'the entry that connect writes for $title starts and answers',
  async ({ id, format, root }) => {
    const { run, fileOf, home } = machine(['claude']);
    await run(id);
    const text = readFileSync(fileOf(id), 'utf8');
    const servers = format === 'toml' ? tableInToml(text, root) : tableInJson(text, root);
    const entry = servers['deskside'] as { command: string | string[]; args?: string[] };
    // `npx` of a machine on which the package is installed.
    const cli = join(import.meta.dirname, '../../dist/bin/cli.js');
    const script = `#!/bin/sh\n[ "$1 $2" = "-y @deskside/aggregator" ] || exit 64\nshift 2\nexec "${process.execPath}" "${cli}" "$@" --mounts todo\n`;
    writeFileSync(join(home, 'bin/npx'), script, { mode: 0o755 });
    const env = { HOME: home, PATH: join(home, 'bin'), XDG_DATA_HOME: join(home, 'data') };
    const [command = '', ...args] = [entry.command, entry.args ?? []].flat();
    await using peer = await connectStdio({ command, args, env }, { era: 'legacy' });
    expect((await peer.listTools()).map(({ name }) => name)).toContain('todo_add_task');
  },
);

test('connect refuses to change the file of Claude Desktop while it runs', async () => {
  const { home, env, fileOf } = machine();
  const program = join(home, 'claude-desktop');
  symlinkSync('/bin/sleep', program);
  const running = spawn(program, ['600']);
  onTestFinished(() => void running.kill('SIGKILL'));
  await once(running, 'spawn');
  const start = () => runCommand(connect(SELF), { operands: ['claude-desktop'], env });
  expect((await start()).stderr).toMatch(
    /^Claude Desktop is running\. Quit it, then run this again\. .*\.mcpb/,
  );
  expect(existsSync(fileOf('claude-desktop'))).toBe(false);
  running.kill('SIGKILL');
  await once(running, 'close');
  expect((await start()).stderr).toBe('');
});
