import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { machine } from '../testing/machine.ts';
import { clientNamed, limitsOf, stateOf } from '@deskside/connect';

test.each([
  ['codex', []],
  ['opencode', []],
  ['copilot-cli', ['prompts before a question']],
  ['claude-desktop', ['ends a question after 240 s', 'prompts before a question']],
  ['zed', ['ends a question after 600 s']],
  ['roo', ['ends a question after 3600 s']],
])('%s: %j', (id, limits) => {
  expect(limitsOf(clientNamed(id))).toStrictEqual(limits);
});

const SHORT = '[mcp_servers.deskside]\ncommand = "npx"\n';

test.each([
  ['codex', '', undefined, 'not connected; run "deskside connect codex"'],
  ['codex', SHORT, undefined, 'would end a question after 300 s; run "deskside connect codex"'],
  [
    'codex',
    '',
    {},
    'connected; may prompt before a question or notification; run "deskside connect codex --allow"',
  ],
  ['codex', '', { allow: true }, 'connected'],
  ['opencode', '', {}, 'connected'],
  [
    'opencode',
    '{"mcp":{"deskside":{"command":["npx"],"enabled":false}}}',
    undefined,
    expect.stringMatching(/^disabled in \/.*\/opencode\.json; enable it there$/),
  ],
  [
    'cline',
    '{"mcpServers":{"deskside":{"command":"npx","disabled":true}}}',
    undefined,
    expect.stringMatching(/^disabled in \/.*\/cline_mcp_settings\.json; enable it there$/),
  ],
  ['claude-desktop', '', {}, 'connected; ends a question after 240 s; prompts before a question'],
  ['zed', '', { allow: true }, 'connected; ends a question after 600 s'],
  [
    'zed',
    '{"context_servers":{"deskside":{"timeout":30}}}',
    { allow: true },
    'connected; ends a question after 30 s',
  ],
  ['cursor', '[]', undefined, expect.stringMatching(/mcp\.json: The file does not contain a JSON object\.$/)],
])('doctor says of %s with the file %j after connect %j: %s', async (id, text, flags, line) => {
  const { run, write, home, env } = machine();
  if (text !== '') write(id, text);
  if (flags !== undefined) expect(await run(id, flags)).toMatchObject({ code: 0 });
  expect(await stateOf(clientNamed(id), { platform: 'linux', home, env })).toStrictEqual(line);
});

test.each([
  [{ 'deskside@deskside': true }, 'connected by its plugin'],
  [
    { 'deskside@deskside': false, 'other@deskside': true },
    'not connected; run "deskside connect claude-code"',
  ],
])('doctor says of Claude Code with the plugins %j: %s', async (enabledPlugins, line) => {
  const { home, env } = machine();
  mkdirSync(join(home, '.claude'));
  writeFileSync(join(home, '.claude/settings.json'), JSON.stringify({ enabledPlugins }));
  expect(await stateOf(clientNamed('claude-code'), { platform: 'linux', home, env })).toBe(line);
});
