import type { Level } from '../notification/notification.ts';

/** What a person reads: level, what follows "Codex · shop", text, context; undefined if nothing is sent. */
type Sentence = readonly [level: Level, title: string, message: string, context: string] | undefined;

interface Recorded {
  readonly host: string;
  readonly event: object;
  readonly sentence: Sentence;
}

const cwd = '/home/me/shop';
const permitted = (message: string): Sentence => ['warn', 'asks for permission', message, 'permission'];
const finished = (message = 'Done.'): Sentence => ['warn', 'has finished', message, 'turn'];
const library = 'Which library should we use for dates?';
const choices = `${library}\n- date-fns\n- Luxon`;
const options = [
  { label: 'date-fns', description: 'Small' },
  { label: 'Luxon', description: 'Zones' },
];
const questions = [{ question: library, header: 'Library', options }];

/** Claude Code 2.1.328. */
const claude = (hook_event_name: string, more: object, sentence: Sentence): Recorded => ({
  host: 'Claude Code',
  event: {
    session_id: '0b16ae80',
    transcript_path: '/nowhere/.claude/projects/-home-me-shop/0b16ae80.jsonl',
    cwd,
    prompt_id: 'c59b1202',
    permission_mode: 'default',
    effort: { level: 'medium' },
    hook_event_name,
    ...more,
  },
  sentence,
});
const stopped = { stop_hook_active: false, last_assistant_message: 'Done.' };
const helper = { id: 'a1537bf0', status: 'running', description: 'Find it', agent_type: 'Explore' };

/** Codex 0.171.0. */
const codex = (hook_event_name: string, more: object, sentence: Sentence): Recorded => ({
  host: 'Codex',
  event: {
    session_id: '01a2265d',
    turn_id: '01a2265e',
    transcript_path: '/home/me/.codex/sessions/2026/11/29/rollout-2026-11-29T08-13-31-01a2265d.jsonl',
    cwd,
    hook_event_name,
    model: 'gpt',
    permission_mode: 'default',
    ...more,
  },
  sentence,
});
const codexTurn = (more: object, sentence: Sentence): Recorded => ({
  host: 'Codex',
  event: { type: 'agent-turn-complete', 'thread-id': '01a2265d', 'turn-id': '01a2265e', cwd, ...more },
  sentence,
});

/** Gemini CLI 0.61.0. */
const gemini = (hook_event_name: string, more: object, sentence: Sentence): Recorded => ({
  host: 'Gemini CLI',
  event: {
    session_id: '5200e05b',
    transcript_path: '/home/me/.gemini/tmp/shop/chats/session-2026-11-29T08-12-5200e05b.jsonl',
    cwd,
    hook_event_name,
    timestamp: '2026-11-29T08:12:05.581Z',
    ...more,
  },
  sentence,
});
const geminiAsks = (message: string, details: object, sentence: Sentence): Recorded =>
  gemini('Notification', { notification_type: 'ToolPermission', message, details }, sentence);

/** Qwen Code 0.24.4. */
const qwen = (hook_event_name: string, more: object, sentence: Sentence): Recorded => ({
  host: 'Qwen Code',
  event: {
    session_id: '97ab3b43',
    transcript_path: '/home/me/.qwen/projects/-home-me-shop/chats/97ab3b43.jsonl',
    cwd,
    hook_event_name,
    timestamp: '2026-11-29T08:13:22.872Z',
    permission_mode: 'default',
    prompt_id: '97ab3b43########0',
    ...more,
  },
  sentence,
});
const qwenHelper = {
  id: 'general-purpose-call_4',
  status: 'running',
  agent_type: 'general-purpose',
  started_at: '2026-11-29T08:18:47.451Z',
  description: 'Find the bug',
};

/** Copilot CLI 1.0.102. */
const copilot = (more: object, sentence: Sentence): Recorded => ({
  host: 'Copilot CLI',
  event: { sessionId: 'e24cc7f0', timestamp: 1_795_939_973_431, cwd, ...more },
  sentence,
});
const copilotAsks = (toolName: string, toolInput: object, sentence: Sentence): Recorded =>
  copilot({ hookName: 'permissionRequest', toolName, toolInput, permissionSuggestions: [] }, sentence);
const copilotStopped = {
  transcriptPath: '/home/me/.copilot/session-state/e24cc7f0/events.jsonl',
  stopReason: 'end_turn',
  stop_hook_active: false,
};
const copilotHelper = { agentId: 'cc9de005', agentType: 'explore', parentAgentId: 'e24cc7f0' };
const refusal = '{"code":400,"type":"invalid_request_error","message":"The request is refused"}';

/** OpenCode 1.18.33, with what the plugin of docs/log-notify.md adds. */
const openCode = (type: string, properties: object, sentence: Sentence, more: object = {}): Recorded => ({
  host: 'OpenCode',
  event: { id: 'evt_1', type, properties: { sessionID: 'ses_1', ...properties }, cwd, ...more },
  sentence,
});
const openCodeAsks = (permission: string, patterns: readonly string[], metadata: object, message: string) =>
  openCode(
    'permission.asked',
    { id: 'per_1', permission, patterns, metadata, always: ['*'], tool: { callID: 'call_1' } },
    permitted(message),
  );

/** Events as the programs passed them to a hook, with shorter ids. */
export const RECORDED_EVENTS: readonly Recorded[] = [
  claude('Stop', { ...stopped, background_tasks: [] }, finished()),
  // The turn has ended, and the agent goes on when its helper has finished: another Stop follows.
  claude('Stop', { ...stopped, background_tasks: [{ ...helper, type: 'subagent' }] }, [
    'info',
    '· waits for its helper Explore',
    'Done.',
    'turn',
  ]),
  claude(
    'Stop',
    { ...stopped, background_tasks: [{ ...helper, type: 'shell', agent_type: undefined }] },
    finished(),
  ),
  claude('SubagentStop', { ...stopped, agent_id: 'a1537bf0', agent_type: 'Explore' }, [
    'info',
    '· its helper Explore has finished',
    'Done.',
    'turn',
  ]),
  claude('StopFailure', { error: 'server_error', last_assistant_message: 'API Error: Connection refused' }, [
    'error',
    'has stopped with an error',
    'API Error: Connection refused',
    'error',
  ]),
  claude(
    'PermissionRequest',
    {
      tool_name: 'Bash',
      tool_input: { command: 'git push', description: 'Push the branch' },
      permission_suggestions: [{ type: 'addRules', behavior: 'allow', destination: 'localSettings' }],
    },
    permitted('It wants to run `git push`\nPush the branch'),
  ),
  claude(
    'Notification',
    {
      message: "Auto mode can't check actions in this session and needs your choice",
      notification_type: 'agent_needs_input',
    },
    ['warn', 'needs you', "Auto mode can't check actions in this session and needs your choice", 'host'],
  ),

  codexTurn(
    { client: 'codex-tui', 'input-messages': ['Run it.'], 'last-assistant-message': 'Done.' },
    finished(),
  ),
  codexTurn(
    { client: 'codex_exec', 'input-messages': ['Run it.'], 'last-assistant-message': 'Done.' },
    finished(),
  ),
  // Codex asks the model for a title of the task, in a thread of its own, at the start of the first turn.
  codexTurn(
    {
      client: 'codex-tui',
      'input-messages': [
        'Generate a concise, single-line task title of at most 36 characters and under five words where possible. Start with an imperative verb.\n\nUser prompt:\nRun it.',
      ],
      'last-assistant-message': 'Run it',
    },
    undefined,
  ),
  codexTurn({ 'input-messages': ['Find the bug'], 'last-assistant-message': 'Done.' }, [
    'info',
    '· a helper has finished',
    'Done.',
    'turn',
  ]),
  codex('Stop', stopped, finished()),
  codex('SubagentStop', { ...stopped, agent_id: '01a22662', agent_type: 'explorer' }, [
    'info',
    '· its helper explorer has finished',
    'Done.',
    'turn',
  ]),
  codex(
    'PermissionRequest',
    { tool_name: 'Bash', tool_input: { command: 'git push', description: 'Push the branch' } },
    permitted('It wants to run `git push`\nPush the branch'),
  ),
  codex(
    'PermissionRequest',
    {
      tool_name: 'apply_patch',
      tool_input: {
        command:
          '*** Begin Patch\n*** Update File: a.ts\n@@\n-export const a = 1;\n+export const a = 2;\n*** Add File: b.ts\n+export {};\n*** End Patch',
      },
    },
    permitted('It wants to edit 2 files\na.ts\nb.ts'),
  ),
  codex(
    'PermissionRequest',
    { tool_name: 'mcp__sample__remove', tool_input: { name: 'first' } },
    permitted('It wants to call sample › remove\nfirst'),
  ),

  geminiAsks(
    'Tool Confirm Shell Command requires execution',
    { type: 'exec', title: 'Confirm Shell Command', command: 'git push', rootCommand: 'git' },
    permitted('It wants to run `git push`'),
  ),
  geminiAsks(
    'Tool Confirm Write: b.ts requires editing',
    {
      type: 'edit',
      title: 'Confirm Write: b.ts',
      fileName: 'b.ts',
      filePath: '/home/me/shop/b.ts',
      fileDiff: 'Index: b.ts\n',
      originalContent: '',
      newContent: 'export {};\n',
    },
    permitted('It wants to edit b.ts\n/home/me/shop/b.ts'),
  ),
  geminiAsks(
    'Tool Confirm MCP Tool Execution requires MCP',
    {
      type: 'mcp',
      title: 'Confirm MCP Tool Execution',
      serverName: 'sample',
      toolName: 'remove',
      toolDisplayName: 'remove (sample MCP Server)',
    },
    permitted('It wants to call sample › remove'),
  ),
  geminiAsks(
    'Tool Confirm Web Fetch requires information',
    {
      type: 'info',
      title: 'Confirm Web Fetch',
      prompt: 'Read http://127.0.0.1:1/page',
      urls: ['http://127.0.0.1:1/page'],
    },
    permitted('It wants to fetch a page\nhttp://127.0.0.1:1/page'),
  ),
  geminiAsks(
    'Tool Enter Plan Mode requires information',
    {
      type: 'info',
      title: 'Enter Plan Mode',
      prompt: 'This will restrict the agent to read-only tools to allow for safe planning.',
    },
    permitted(
      'It wants to enter plan mode\nThis will restrict the agent to read-only tools to allow for safe planning.',
    ),
  ),
  // Neither question nor plan is in it.
  geminiAsks('Tool requires confirmation', { type: 'ask_user', title: 'Ask User' }, [
    'warn',
    'asks you',
    'Its question is in its window.',
    'question',
  ]),
  geminiAsks('Tool requires confirmation', { type: 'exit_plan_mode', title: 'Plan Approval' }, [
    'warn',
    'has a plan for you',
    'Its plan is in its window.',
    'plan',
  ]),
  gemini('AfterAgent', { prompt: 'Run it.', prompt_response: 'Done.', stop_hook_active: false }, finished()),
  // After an error of the model.
  gemini(
    'AfterAgent',
    { prompt: 'Run it.', prompt_response: '[no response text]', stop_hook_active: false },
    ['warn', 'has stopped without an answer', 'It waits for you.', 'turn'],
  ),

  qwen(
    'PermissionRequest',
    {
      tool_name: 'run_shell_command',
      tool_input: { command: 'git push', description: 'Push the branch', is_background: false },
    },
    permitted('It wants to run `git push`\nPush the branch'),
  ),
  qwen(
    'PermissionRequest',
    { tool_name: 'write_file', tool_input: { file_path: '/home/me/shop/b.ts', content: 'export {};\n' } },
    permitted('It wants to write b.ts\n/home/me/shop/b.ts'),
  ),
  qwen(
    'PermissionRequest',
    { tool_name: 'mcp__sample__remove', tool_input: { name: 'first' } },
    permitted('It wants to call sample › remove\nfirst'),
  ),
  qwen(
    'PermissionRequest',
    {
      tool_name: 'agent',
      tool_input: { description: 'Find the bug', prompt: 'Look for it', subagent_type: 'general-purpose' },
    },
    permitted('It wants to start a helper\nFind the bug'),
  ),
  qwen('PermissionRequest', { tool_name: 'ask_user_question', tool_input: { questions } }, [
    'warn',
    'asks you',
    choices,
    'question',
  ]),
  qwen(
    'PermissionRequest',
    { permission_mode: 'plan', tool_name: 'exit_plan_mode', tool_input: { plan: '# Plan\n1. Write a test' } },
    ['warn', 'has a plan for you', '# Plan\n1. Write a test', 'plan'],
  ),
  qwen('Stop', { ...stopped, background_tasks: [], crons: [] }, finished()),
  qwen('Stop', { ...stopped, background_tasks: [qwenHelper], crons: [] }, [
    'info',
    '· waits for its helper general-purpose',
    'Done.',
    'turn',
  ]),
  qwen('Stop', { ...stopped, background_tasks: [{ ...qwenHelper, status: 'completed' }] }, finished()),
  qwen('SubagentStop', { ...stopped, agent_type: 'general-purpose', background_tasks: [qwenHelper] }, [
    'info',
    '· its helper general-purpose has finished',
    'Done.',
    'turn',
  ]),
  qwen(
    'StopFailure',
    {
      error: 'invalid_request',
      error_details: '400 The request is refused',
      last_assistant_message: '[API Error: 400 The request is refused]',
    },
    ['error', 'has stopped with an error', '[API Error: 400 The request is refused]', 'error'],
  ),
  qwen(
    'Notification',
    { message: 'Qwen Code is waiting for your input', notification_type: 'idle_prompt', title: 'Waiting' },
    undefined,
  ),

  copilotAsks('bash', { command: 'git push' }, permitted('It wants to run `git push`')),
  copilotAsks(
    'edit',
    { file_path: '/home/me/shop/b.ts', diff: '\ndiff --git a/b.ts b/b.ts\n' },
    permitted('It wants to edit b.ts\n/home/me/shop/b.ts'),
  ),
  copilotAsks('sample/remove', { name: 'first' }, permitted('It wants to call sample › remove\nfirst')),
  copilot(
    {
      message: 'Run command: git push',
      title: 'Permission needed',
      hook_event_name: 'Notification',
      notification_type: 'permission_prompt',
    },
    undefined,
  ),
  // The question is not in it.
  copilot(
    {
      message: 'Information requested',
      title: 'Information requested',
      hook_event_name: 'Notification',
      notification_type: 'elicitation_dialog',
    },
    ['warn', 'asks you', 'Information requested', 'question'],
  ),
  copilot(copilotStopped, finished('It waits for you.')),
  // `subagentStop` says it, with what the helper answers.
  copilot({ ...copilotStopped, ...copilotHelper, sessionId: 'cc9de005' }, undefined),
  copilot({ ...copilotStopped, ...copilotHelper, agentName: 'explore', response: 'Found it.' }, [
    'info',
    '· its helper explore has finished',
    'Found it.',
    'turn',
  ]),
  copilot(
    {
      errorContext: 'model_call',
      recoverable: true,
      error: { message: refusal, name: 'Error', stack: `Error: ${refusal}` },
    },
    ['error', 'has stopped with an error', 'The request is refused', 'error'],
  ),

  openCode('question.asked', { id: 'que_1', questions }, ['warn', 'asks you', choices, 'question']),
  openCodeAsks('bash', ['git push'], { command: 'git push' }, 'It wants to run `git push`'),
  openCodeAsks(
    'edit',
    ['a.ts'],
    { filepath: '/home/me/shop/a.ts', diff: 'Index: a.ts\n' },
    'It wants to edit a.ts\n/home/me/shop/a.ts',
  ),
  openCodeAsks(
    'task',
    ['general'],
    { description: 'Find the bug', subagent_type: 'general' },
    'It wants to start a helper\nFind the bug',
  ),
  openCodeAsks(
    'webfetch',
    ['http://127.0.0.1:1/page'],
    { url: 'http://127.0.0.1:1/page', format: 'text' },
    'It wants to fetch a page\nhttp://127.0.0.1:1/page',
  ),
  openCodeAsks('sample_remove', ['*'], {}, 'It wants to use sample remove'),
  openCode('session.idle', {}, finished('It waits for you.')),
  openCode('session.idle', {}, ['info', '· a helper has finished', 'The agent goes on.', 'turn'], {
    parentID: 'ses_0',
  }),
  openCode(
    'session.error',
    { error: { name: 'APIError', data: { message: 'The request is refused', statusCode: 400 } } },
    ['error', 'has stopped with an error', 'The request is refused', 'error'],
  ),
];
