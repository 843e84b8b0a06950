import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { readHostEvent } from './host-event.ts';

const NOW = Date.parse('2026-11-24T10:03:00Z');
const claude = { session_id: 's1', cwd: '/home/me/shop', permission_mode: 'default' };

function shown(event: object): readonly (string | undefined)[] {
  const read = readHostEvent(JSON.stringify(event), NOW);
  return [read?.title, read?.message, read?.context];
}

test('a turn of Claude Code that ends says how long it took and what the agent said last', () => {
  const transcript = join(temporaryFolder(), 'transcript.jsonl');
  const lines = [
    { type: 'user', timestamp: '2026-11-24T09:00:00Z', message: { content: 'earlier' } },
    { type: 'user', timestamp: '2026-11-24T10:00:00Z', message: { content: 'build it' } },
    { type: 'assistant', timestamp: '2026-11-24T10:01:00Z', message: {} },
    { type: 'user', timestamp: '2026-11-24T10:02:00Z', message: { content: [{ type: 'tool_result' }] } },
  ];
  writeFileSync(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const stop = { ...claude, hook_event_name: 'Stop', stop_hook_active: false, transcript_path: transcript };
  expect(shown({ ...stop, last_assistant_message: 'All tests pass.' })).toStrictEqual([
    'Claude Code · shop has finished after 3 min',
    'All tests pass.',
    'turn',
  ]);
  expect(shown({ ...stop, transcript_path: '/nowhere' })).toStrictEqual([
    'Claude Code · shop has finished',
    'It waits for you.',
    'turn',
  ]);
  expect(readHostEvent(JSON.stringify(stop), NOW)).toMatchObject({
    level: 'warn',
    caller: 'Claude Code · shop',
    project: 'shop',
    session: 's1',
  });
});

test.each([
  ['Bash', { command: 'rm -rf build', description: 'Clean' }, 'Bash: rm -rf build'],
  ['Write', { file_path: '/a/b.ts', content: 'x' }, 'Write: /a/b.ts'],
  ['mcp__shop__drop', { table: 'users' }, 'mcp__shop__drop: {"table":"users"}'],
])('a permission request of Claude Code for %s says what it wants to do', (tool, input, message) => {
  const event = { ...claude, hook_event_name: 'PermissionRequest', tool_name: tool, tool_input: input };
  expect(shown(event)).toStrictEqual(['Claude Code · shop asks for permission', message, 'permission']);
});

test.each([
  [{ notification_type: 'permission_prompt', message: 'Claude needs your permission' }, false],
  [{ notification_type: 'idle_prompt', message: 'Claude is waiting for your input' }, false],
  [{ message: 'Claude needs your permission to use Bash' }, false],
  [{ notification_type: 'elicitation_dialog', message: 'A server asks' }, true],
])(
  'a notification of Claude Code that another hook has sent already is not sent again: %o',
  (event, isSent) => {
    const read = readHostEvent(JSON.stringify({ ...claude, hook_event_name: 'Notification', ...event }), NOW);
    expect(read !== undefined).toBe(isSent);
  },
);

test('a turn of Codex that ends says what the agent said last', () => {
  const turn = { type: 'agent-turn-complete', 'thread-id': 't', 'turn-id': '1', cwd: 'C:\\work\\shop' };
  expect(shown({ ...turn, 'last-assistant-message': 'Done.' })).toStrictEqual([
    'Codex · shop has finished',
    'Done.',
    'turn',
  ]);
});

test('an unknown event sends no notification, and input that is not JSON is an error', () => {
  expect(shown({ ...claude, hook_event_name: 'PreToolUse' })).toStrictEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(readHostEvent('[1]', NOW)).toBeUndefined();
  expect(() => readHostEvent('no', NOW)).toThrow(SyntaxError);
});
