import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { machine } from '../testing/machine.ts';

const SETTINGS = `{
  // mine
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] }
    ]
  },
  "model": "opus"
}
`;

/** All that `send --hook` understands of Claude Code. */
const EVENTS = ['Stop', 'StopFailure', 'SubagentStop', 'PermissionRequest', 'Notification'];

const COMMAND = 'npx -y @deskside/aggregator send --hook';
const OF_A_CLONE = '/opt/node /clone/cli.js send --hook';

function hooksIn(text: string): Readonly<Record<string, unknown[]>> {
  return JSON.parse(text.replace('// mine', '')).hooks;
}

test('connect claude-code --hooks adds the hooks once, for those of a clone too, and undo leaves those of the person', async () => {
  const { home, run } = machine(['claude']);
  const file = join(home, '.claude/settings.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, SETTINGS);
  const dry = await run('claude-code', { hooks: true, 'dry-run': true });
  expect(dry.stdout).toContain(`Would write hooks to ${file}\n  ${EVENTS.join(', ')}: ${COMMAND}`);
  expect(readFileSync(file, 'utf8')).toBe(SETTINGS);
  expect(await run('claude-code', { hooks: true })).toMatchObject({ code: 0, stderr: '' });
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('// mine');
  const hooks = hooksIn(text);
  const own = { hooks: [{ type: 'command', command: COMMAND }] };
  for (const event of EVENTS.slice(1)) expect(hooks[event]).toStrictEqual([own]);
  expect(hooks['Stop']).toHaveLength(2);
  expect(hooks['Stop']).toContainEqual(own);
  await run('claude-code', { hooks: true });
  expect(readFileSync(file, 'utf8')).toBe(text);
  writeFileSync(file, text.replaceAll(COMMAND, OF_A_CLONE));
  await run('claude-code', { hooks: true });
  expect(hooksIn(readFileSync(file, 'utf8'))).toStrictEqual(hooks);
  await run('claude-code', { undo: true });
  expect(readFileSync(file, 'utf8')).toBe(SETTINGS);
});

const CODEX = '# my config\nmodel = "gpt-5"   # best\n\n[mcp_servers.other]   # mine\ncommand = \'other\'\n';

test('connect codex --hooks sets notify, and --no-hooks removes it', async () => {
  const { run, write } = machine();
  const file = write('codex', CODEX);
  await run('codex', { hooks: true });
  const text = readFileSync(file, 'utf8');
  expect(parse(text)['notify']).toStrictEqual(COMMAND.split(' '));
  expect(text).toContain(CODEX);
  const { stdout } = await run('codex');
  expect(stdout).toContain('Codex is connected already');
  await run('codex', { 'no-hooks': true });
  expect(readFileSync(file, 'utf8')).toBe(text.slice(text.indexOf(CODEX)));
  await run('codex', { hooks: true });
  await run('codex', { undo: true });
  expect(readFileSync(file, 'utf8')).toBe(CODEX);
});

test("a person's own notify program of Codex stays, and nothing else is changed", async () => {
  const { run, write } = machine();
  const text = `notify = ["mine"]\n${CODEX}`;
  const file = write('codex', text);
  const ran = await run('codex', { hooks: true });
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('has another program in "notify"') });
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('connect offers the hooks, and refuses them for a client without', async () => {
  const { home, run } = machine();
  expect((await run('codex')).stdout).toContain('deskside connect codex --hooks');
  expect(await run('cursor', { hooks: true })).toMatchObject({ code: 1 });
  expect(existsSync(join(home, '.cursor/mcp.json'))).toBe(false);
});

test('a hook that the person has added to the group of Deskside stays', async () => {
  const { home, run } = machine(['claude']);
  const file = join(home, '.claude/settings.json');
  await run('claude-code', { hooks: true });
  const mine = { type: 'command', command: 'say done' };
  const settings = JSON.parse(readFileSync(file, 'utf8'));
  settings.hooks.Stop[0].hooks.push(mine);
  writeFileSync(file, JSON.stringify(settings, null, 2));
  await run('claude-code', { undo: true });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toStrictEqual({ hooks: { Stop: [{ hooks: [mine] }] } });
});

const read = (file: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../..', file), 'utf8'));

test('the plugin for Claude Code has the same hooks, and starts the same program', () => {
  const own = [{ hooks: [{ type: 'command', command: COMMAND }] }];
  const hooks = Object.fromEntries(EVENTS.map((event) => [event, own]));
  expect(read('plugins/deskside/hooks/hooks.json')).toMatchObject({ hooks });
  const { version, mcpServers } = read('plugins/deskside/.claude-plugin/plugin.json');
  const args = ['-y', '@deskside/aggregator', 'stdio', '--as', 'claude-code'];
  expect(mcpServers).toStrictEqual({ deskside: { command: 'npx', args } });
  expect(version).toBe(read('apps/aggregator/package.json').version);
});
