import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { machine } from '../testing/machine.ts';
import { clientNamed, stateOf } from '@deskside/connect';

const DISABLED = expect.stringMatching(
  /^disabled in \/.*\/(?:opencode|cline_mcp_settings)\.json; enable it there$/,
);
const PROMPTS =
  'connected; may prompt before a question or notification; run "deskside connect codex --allow"';
const SHORT = '[mcp_servers.deskside]\ncommand = "npx"\n';

test.each([
  ['codex', '', undefined, 'not connected; run "deskside connect codex"'],
  ['codex', SHORT, undefined, 'would end a question after 300 s; run "deskside connect codex"'],
  ['codex', '', {}, PROMPTS],
  ['codex', '', { allow: true }, 'connected'],
  ['opencode', '', {}, 'connected'],
  ['opencode', '{"mcp":{"deskside":{"enabled":false}}}', undefined, DISABLED],
  ['cline', '{"mcpServers":{"deskside":{"disabled":true}}}', undefined, DISABLED],
  ['claude-desktop', '', {}, 'connected; ends a question after 240 s; prompts before a question'],
  ['roo', '', { allow: true }, 'connected; ends a question after 3600 s'],
  ['copilot-cli', '', {}, 'connected; prompts before a question'],
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
