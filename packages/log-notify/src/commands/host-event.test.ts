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

const claudeAt = { ...claude, transcript_path: '/home/me/.claude/projects/shop/s1.jsonl' };
const wants = (tool_name: string, tool_input: object) => ({
  ...claudeAt,
  hook_event_name: 'PermissionRequest',
  tool_name,
  tool_input,
});
const codex = {
  session_id: 's1',
  cwd: '/home/me/shop',
  turn_id: '1',
  transcript_path: '/home/me/.codex/s.jsonl',
};
const gemini = {
  session_id: 's1',
  cwd: '/home/me/shop',
  transcript_path: '/home/me/.gemini/tmp/1/chat.json',
};
const geminiAsks = (details: object) => ({
  ...gemini,
  hook_event_name: 'Notification',
  notification_type: 'ToolPermission',
  message: 'Tool Shell requires execution',
  details,
});
const qwen = { session_id: 's1', cwd: '/home/me/shop', transcript_path: '/home/me/.qwen/projects/s.jsonl' };
const copilot = { sessionId: 's1', timestamp: 1_795_256_999_000, cwd: '/home/me/shop' };
const openCode = (type: string, properties: object) => ({
  type,
  cwd: '/home/me/shop',
  properties: { sessionID: 's1', ...properties },
});
const library = {
  questions: [
    {
      question: 'Which library should we use for dates?',
      header: 'Library',
      options: [
        { label: 'date-fns', description: 'Small' },
        { label: 'Luxon', description: 'Zones' },
      ],
      multiSelect: false,
    },
  ],
};
const choices = 'Which library should we use for dates?\n- date-fns\n- Luxon';

/** What the hosts document, and the sentence that a person reads: title, text, context. */
const documented: readonly (readonly [event: object, title: string, message: string, context: string])[] = [
  [wants('AskUserQuestion', library), 'Claude Code · shop asks you', choices, 'question'],
  [
    wants('Bash', { command: 'git push' }),
    'Claude Code · shop asks for permission',
    'It wants to run `git push`',
    'permission',
  ],
  [
    wants('Bash', { command: 'rm -rf build', description: 'Clean the build' }),
    'Claude Code · shop asks for permission',
    'It wants to run `rm -rf build`\nClean the build',
    'permission',
  ],
  [
    wants('Bash', { command: `for file in src/*; do\n  echo "$file"\ndone` }),
    'Claude Code · shop asks for permission',
    'It wants to run a command\nfor file in src/*; do\n  echo "$file"\ndone',
    'permission',
  ],
  [
    wants('Write', { file_path: '/a/b.ts', content: 'x' }),
    'Claude Code · shop asks for permission',
    'It wants to write b.ts\n/a/b.ts',
    'permission',
  ],
  [
    wants('mcp__github__create_issue', { owner: 'me', repo: 'shop', title: 'The cart is empty' }),
    'Claude Code · shop asks for permission',
    'It wants to call github › create issue\nThe cart is empty',
    'permission',
  ],
  [
    wants('mcp__shop__drop', { table: 'users' }),
    'Claude Code · shop asks for permission',
    'It wants to call shop › drop',
    'permission',
  ],
  [
    wants('WebFetch', { url: 'https://example.org', prompt: 'x' }),
    'Claude Code · shop asks for permission',
    'It wants to fetch a page\nhttps://example.org',
    'permission',
  ],
  [
    wants('Task', { description: 'Find the bug', prompt: 'Look' }),
    'Claude Code · shop asks for permission',
    'It wants to start a helper\nFind the bug',
    'permission',
  ],
  [
    wants('ExitPlanMode', { plan: '# Plan\n1. Write a test' }),
    'Claude Code · shop has a plan for you',
    '# Plan\n1. Write a test',
    'plan',
  ],
  [
    {
      ...claudeAt,
      hook_event_name: 'SubagentStop',
      agent_type: 'Explore',
      last_assistant_message: 'Found it.',
    },
    'Claude Code · shop · its helper Explore has finished',
    'Found it.',
    'turn',
  ],
  [
    {
      ...claudeAt,
      hook_event_name: 'StopFailure',
      error: 'rate_limit',
      last_assistant_message: 'API Error: Rate limit reached',
    },
    'Claude Code · shop has stopped with an error',
    'API Error: Rate limit reached',
    'error',
  ],
  [
    {
      ...claudeAt,
      hook_event_name: 'Notification',
      notification_type: 'elicitation_dialog',
      message: 'Which account?',
    },
    'Claude Code · shop asks you',
    'Which account?',
    'question',
  ],
  [
    {
      ...codex,
      hook_event_name: 'PermissionRequest',
      tool_name: 'Bash',
      tool_input: { command: 'npm test', description: 'Run the tests' },
    },
    'Codex · shop asks for permission',
    'It wants to run `npm test`\nRun the tests',
    'permission',
  ],
  [
    {
      ...codex,
      hook_event_name: 'PermissionRequest',
      tool_name: 'apply_patch',
      tool_input: {
        command:
          '*** Begin Patch\n*** Update File: a.ts\n@@\n*** Add File: b.ts\n*** Delete File: c.ts\n*** End Patch',
      },
    },
    'Codex · shop asks for permission',
    'It wants to edit 3 files\na.ts\nb.ts\nc.ts',
    'permission',
  ],
  [
    { ...codex, hook_event_name: 'Stop', last_assistant_message: 'Done.' },
    'Codex · shop has finished',
    'Done.',
    'turn',
  ],
  [
    geminiAsks({ type: 'exec', title: 'Shell', command: 'npm test', rootCommand: 'npm' }),
    'Gemini CLI · shop asks for permission',
    'It wants to run `npm test`',
    'permission',
  ],
  [
    geminiAsks({ type: 'edit', fileName: 'a.ts', filePath: '/home/me/shop/a.ts', fileDiff: '' }),
    'Gemini CLI · shop asks for permission',
    'It wants to edit a.ts\n/home/me/shop/a.ts',
    'permission',
  ],
  [
    geminiAsks({ type: 'mcp', serverName: 'github', toolName: 'create_issue' }),
    'Gemini CLI · shop asks for permission',
    'It wants to call github › create issue',
    'permission',
  ],
  [
    { ...gemini, hook_event_name: 'AfterAgent', prompt: 'x', prompt_response: 'All is well.' },
    'Gemini CLI · shop has finished',
    'All is well.',
    'turn',
  ],
  [
    {
      ...qwen,
      hook_event_name: 'PermissionRequest',
      tool_name: 'run_shell_command',
      tool_input: { command: 'ls' },
    },
    'Qwen Code · shop asks for permission',
    'It wants to run `ls`',
    'permission',
  ],
  [
    { ...qwen, hook_event_name: 'Stop', last_assistant_message: 'Ready.' },
    'Qwen Code · shop has finished',
    'Ready.',
    'turn',
  ],
  [
    { ...copilot, toolName: 'bash', toolArgs: '{"command":"git push"}' },
    'Copilot CLI · shop asks for permission',
    'It wants to run `git push`',
    'permission',
  ],
  [{ ...copilot, stopReason: 'end_turn' }, 'Copilot CLI · shop has finished', 'It waits for you.', 'turn'],
  [
    { ...copilot, error: { name: 'Error', message: 'No quota' }, recoverable: false },
    'Copilot CLI · shop has stopped with an error',
    'No quota',
    'error',
  ],
  [openCode('question.asked', library), 'OpenCode · shop asks you', choices, 'question'],
  [
    openCode('permission.asked', { permission: 'bash', patterns: ['git push'], metadata: {} }),
    'OpenCode · shop asks for permission',
    'It wants to run `git push`',
    'permission',
  ],
  [
    openCode('permission.asked', {
      permission: 'edit',
      patterns: ['src/a.ts'],
      metadata: { filepath: '/home/me/shop/src/a.ts' },
    }),
    'OpenCode · shop asks for permission',
    'It wants to edit a.ts\n/home/me/shop/src/a.ts',
    'permission',
  ],
  [openCode('session.idle', {}), 'OpenCode · shop has finished', 'It waits for you.', 'turn'],
  [
    openCode('session.error', { error: { name: 'ProviderAuthError', data: { message: 'No key' } } }),
    'OpenCode · shop has stopped with an error',
    'No key',
    'error',
  ],
];

test.each(documented)('the event %o is the sentence: %s: %s', (event, title, message, context) => {
  expect(shown(event)).toStrictEqual([title, message, context]);
  // A person never reads JSON.
  expect(message).not.toContain('{"');
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

/** As Claude Code 2.1.328 passed them to a hook, with shorter ids. */
const recorded = (hook_event_name: string, more: object) => ({
  session_id: '0b16ae80',
  transcript_path: '/nowhere/.claude/projects/-home-me-shop/0b16ae80.jsonl',
  cwd: '/home/me/shop',
  prompt_id: 'c59b1202',
  permission_mode: 'default',
  effort: { level: 'medium' },
  hook_event_name,
  ...more,
});
const helper = {
  id: 'a1537bf0',
  type: 'subagent',
  status: 'running',
  description: 'Find it',
  agent_type: 'Explore',
};
const stopped = { stop_hook_active: false, last_assistant_message: 'Done.', session_crons: [] };

test.each([
  [
    recorded('Stop', { ...stopped, background_tasks: [] }),
    ['warn', 'Claude Code · shop has finished', 'Done.', 'turn'],
  ],
  // The turn has ended, and the agent goes on when its helper has finished: another Stop follows.
  [
    recorded('Stop', { ...stopped, background_tasks: [helper] }),
    ['info', 'Claude Code · shop · waits for its helper Explore', 'Done.', 'turn'],
  ],
  [
    recorded('Stop', { ...stopped, background_tasks: [{ ...helper, type: 'shell', agent_type: undefined }] }),
    ['warn', 'Claude Code · shop has finished', 'Done.', 'turn'],
  ],
  [
    recorded('SubagentStop', {
      ...stopped,
      agent_id: 'a1537bf0',
      agent_type: 'Explore',
      background_tasks: [helper],
    }),
    ['info', 'Claude Code · shop · its helper Explore has finished', 'Done.', 'turn'],
  ],
  [
    recorded('StopFailure', {
      error: 'server_error',
      last_assistant_message:
        'API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)',
    }),
    [
      'error',
      'Claude Code · shop has stopped with an error',
      'API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)',
      'error',
    ],
  ],
  [
    recorded('PermissionRequest', {
      tool_name: 'Bash',
      tool_input: { command: 'git push', description: 'Push the branch' },
      permission_suggestions: [
        {
          type: 'addRules',
          rules: [{ toolName: 'Bash', ruleContent: 'git push *' }],
          behavior: 'allow',
          destination: 'localSettings',
        },
      ],
    }),
    [
      'warn',
      'Claude Code · shop asks for permission',
      'It wants to run `git push`\nPush the branch',
      'permission',
    ],
  ],
  [
    recorded('Notification', {
      message: "Auto mode can't check actions in this session and needs your choice",
      notification_type: 'agent_needs_input',
    }),
    [
      'warn',
      'Claude Code · shop needs you',
      "Auto mode can't check actions in this session and needs your choice",
      'host',
    ],
  ],
])('the recorded event %# is a sentence for the person', (event, sentence) => {
  const read = readHostEvent(JSON.stringify(event), NOW);
  expect([read?.level, read?.title, read?.message, read?.context]).toStrictEqual(sentence);
});
