import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
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

/** Bytes that this thread has read from files. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)/.exec(readFileSync('/proc/thread-self/io', 'utf8'))?.[1]);
}

test.skipIf(!existsSync('/proc/thread-self/io'))(
  'of a transcript of 120 MB only the end is read, as far as the turn goes',
  () => {
    const transcript = join(temporaryFolder(), 'transcript.jsonl');
    writeFileSync(transcript, '');
    truncateSync(transcript, 120_000_000);
    const asked = { type: 'user', timestamp: '2026-11-24T10:00:00Z', message: { content: 'build it' } };
    const said = { type: 'assistant', message: { content: '漢字'.repeat(100_000) } };
    const lines = [asked, said, said, said].map((line) => `${JSON.stringify(line)}\r\n`);
    writeFileSync(transcript, `\n${lines.join('')}`, { flag: 'a' });
    const before = bytesRead();
    const [title] = shown({ ...claude, hook_event_name: 'Stop', transcript_path: transcript });
    expect(title).toBe('Claude Code · shop has finished after 3 min');
    expect(bytesRead() - before).toBeLessThan(4_000_000);
  },
);

test.skipIf(process.platform === 'win32')('a transcript that is a named pipe holds up no agent', () => {
  const pipe = join(temporaryFolder(), 'transcript.jsonl');
  execFileSync('mkfifo', [pipe]);
  const [title] = shown({ ...claude, hook_event_name: 'Stop', transcript_path: pipe });
  expect(title).toBe('Claude Code · shop has finished');
});

const wants = (tool_name: string, tool_input: object) => ({
  ...claude,
  transcript_path: '/home/me/.claude/projects/shop/s1.jsonl',
  hook_event_name: 'PermissionRequest',
  tool_name,
  tool_input,
});

/** What the hosts document beside the recorded events: title, text, context. */
const documented: readonly (readonly [event: object, title: string, message: string, context: string])[] = [
  [wants('AskUserQuestion', {}), 'Claude Code · shop asks you', 'Its question is in its window.', 'question'],
  [wants('ExitPlanMode', {}), 'Claude Code · shop has a plan for you', 'Its plan is in its window.', 'plan'],
  [
    wants('Bash', { command: `for file in src/*; do\n  echo "$file"\ndone` }),
    'Claude Code · shop asks for permission',
    'It wants to run a command\nfor file in src/*; do\n  echo "$file"\ndone',
    'permission',
  ],
  [
    wants('mcp__github__create_issue', { owner: 'me', repo: 'shop', title: 'The cart is empty' }),
    'Claude Code · shop asks for permission',
    'It wants to call github › create issue\nThe cart is empty',
    'permission',
  ],
  [
    {
      ...claude,
      hook_event_name: 'Notification',
      notification_type: 'elicitation_dialog',
      message: 'Which account?',
    },
    'Claude Code · shop asks you',
    'Which account?',
    'question',
  ],
  [
    { type: 'agent-turn-complete', client: 'codex-tui', 'turn-id': '1', cwd: 'C:\\work\\shop' },
    'Codex · shop has finished',
    'It waits for you.',
    'turn',
  ],
];

test.each(documented)('the event %o is the sentence: %s: %s', (event, title, message, context) => {
  expect(shown(event)).toStrictEqual([title, message, context]);
  // A person never reads JSON.
  expect(message).not.toContain('{"');
});

test('an unknown event sends no notification', () => {
  for (const event of [[1], { ...claude, hook_event_name: 'PreToolUse' }])
    expect(readHostEvent(JSON.stringify(event), NOW)).toBeUndefined();
});

interface Recording {
  readonly host: string;
  /** Of the program that passed these events to a hook, here with shorter ids. */
  readonly version: string;
  /** The sentence is null if nothing is sent; its title is what follows "Codex · shop". */
  readonly events: readonly {
    readonly event: object;
    readonly sentence: readonly [level: string, title: string, message: string, context: string] | null;
  }[];
}

const folder = new URL('../testing/recorded-events/', import.meta.url);
const recorded = readdirSync(folder).flatMap((name) => {
  const { host, events }: Recording = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
  return events.map(({ event, sentence }) => ({ host, event, sentence }));
});

test.each(recorded)('the recorded event %# of $host is a sentence for the person', (each) => {
  const { host, event, sentence } = each;
  const read = readHostEvent(JSON.stringify(event), NOW);
  const [level, title, message, context] = sentence ?? [];
  const wanted = sentence === null ? undefined : [level, `${host} · shop ${title}`, message, context];
  expect(read && [read.level, read.title, read.message, read.context]).toStrictEqual(wanted);
});

const ODD: readonly unknown[] = [
  null,
  0,
  true,
  '',
  [],
  [null],
  [[]],
  {},
  { toString: 1 },
  [{ toString: 1 }],
  ['a', {}],
  '\0\r\n',
];

/** The event, once with each odd value in the place of each of its fields, at any depth. */
function* odd(value: object): Generator<object> {
  for (const [name, field] of Object.entries(value)) {
    const inner = typeof field === 'object' && field !== null ? [...odd(field)] : [];
    for (const other of [...ODD, ...inner]) {
      const copy = Array.isArray(value) ? [...value] : { ...value };
      yield Object.assign(copy, { [name]: other });
    }
  }
}

test('a host that passes odd values gets a sentence or nothing, and never their JSON', () => {
  for (const { event } of recorded) {
    for (const each of odd(event)) {
      const read = readHostEvent(JSON.stringify(each), NOW);
      const text = `${read?.title ?? ''} ${read?.message ?? 'nothing'}`;
      expect(text, JSON.stringify(each)).not.toMatch(/\[object|undefined|null/);
    }
  }
});
