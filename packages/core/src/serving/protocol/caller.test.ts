import { expect, test } from 'vitest';
import { callerOf } from './caller.ts';
import type { Connection } from './connection.ts';

const owner = { user: 'owner' };
const stdio: Connection = { era: 'legacy', transport: 'stdio', principal: owner, session: 'stdio/1' };
const http: Connection = { era: 'modern', transport: 'http', principal: owner };

const sessionOf = (
  connection: Connection,
  meta?: Record<string, unknown>,
  principal = connection.principal,
) => callerOf(connection, principal, undefined, meta).session;

test.each(['deskside/session', 'vscode.conversationId', 'threadId', 'ai.opencode/sessionID'])(
  'the key %s of _meta distinguishes two conversations of one connection',
  (key) => {
    const [one, two] = ['one', 'two'].map((id) => sessionOf(stdio, { [key]: id }));
    expect(new Set([one, two, sessionOf(stdio)]).size).toBe(3);
    expect(sessionOf(stdio, { [key]: 'one' })).toBe(one);
  },
);

test('the first conversation id in the order of the keys counts', () => {
  const meta = {
    'ai.opencode/sessionID': 'd',
    threadId: 'c',
    'vscode.conversationId': 'b',
    'deskside/session': 'a',
  };
  expect(sessionOf(http, meta)).toBe(sessionOf(http, { 'deskside/session': 'a' }));
  expect(sessionOf(http, { ...meta, 'deskside/session': 7 })).toBe(sessionOf(http, { threadId: 'b' }));
});

test.each([
  ['an empty id', ''],
  ['129 characters', 'x'.repeat(129)],
  ['a space', 'a b'],
  ['a letter beyond ASCII', 'é'],
  ['a number', 7],
])('a conversation id of %s is ignored', (_, id) => {
  expect(sessionOf(http, { threadId: id })).toBeUndefined();
});

test('one conversation id of two connections, users or tokens names different sessions', () => {
  const meta = { threadId: 'same' };
  const sessions = [
    sessionOf(stdio, meta),
    sessionOf({ ...stdio, session: 'stdio/2' }, meta),
    sessionOf(http, meta),
    sessionOf(http, meta, { user: 'ben' }),
    sessionOf(http, meta, { user: 'owner', token: 'laptop' }),
    sessionOf(http, meta, { user: 'owner/laptop' }),
    sessionOf(http, { threadId: 'laptop/same' }),
  ];
  expect(new Set(sessions).size).toBe(sessions.length);
});

test('the key of a caller without a session is its principal and token', () => {
  const keys = [{ user: 'ann' }, { user: 'ben' }, { user: 'ann', token: 'laptop' }].map(
    (principal) => callerOf(http, principal, undefined, undefined).key,
  );
  expect(new Set(keys).size).toBe(3);
});

interface Labeled {
  readonly name?: string;
  readonly title?: string;
  /** What the person calls the client. */
  readonly token?: string;
  readonly project?: string;
}

const CLAUDE: Labeled = { name: 'claude-code', title: 'Claude Code', project: 'my-project' };

test.each<[Labeled, string]>([
  [CLAUDE, 'Claude Code · my-project'],
  // The client can claim any name; the person chose this one.
  [{ ...CLAUDE, token: 'laptop' }, 'laptop · my-project'],
  [{ ...CLAUDE, token: '' }, 'Claude Code · my-project'],
  [{ name: 'claude-code', title: 'Claude Code', token: ' ' }, 'Claude Code'],
  // What `deskside connect claude-code` writes.
  [{ ...CLAUDE, token: 'claude-code' }, 'Claude Code · my-project'],
  [{ name: 'codex-mcp-client', token: 'claude-code' }, 'Claude Code'],
  [{ name: 'gemini-cli-mcp-client', token: 'gemini' }, 'Gemini CLI'],
  [{ name: 'gemini-cli-mcp-client', token: 'left screen' }, 'left screen'],
  [{ name: 'qwen-cli-mcp-client-deskside' }, 'Qwen Code'],
  [{ name: 'gemini' }, 'gemini'],
  [{ name: 'my-agent', title: 'My agent' }, 'My agent'],
  [{ name: 'my-agent', title: ' ' }, 'my-agent'],
  [{ name: '' }, 'owner'],
  [{}, 'owner'],
])('the label of a client that says %j is %s', ({ project, token, name, ...more }, label) => {
  const named = name === undefined ? undefined : { name, version: '1', ...more };
  const principal = token === undefined ? owner : { ...owner, token };
  for (const connection of [stdio, http]) {
    const caller = callerOf({ ...connection, project: () => project }, principal, named, undefined);
    expect(caller.label()).toBe(label);
  }
});

test('the label is escaped and of limited length', () => {
  const named = { name: `\u202Eevil${'x'.repeat(1000)}`, version: '1' };
  const label = callerOf({ ...http, project: () => 'a\nb' }, owner, named, undefined).label();
  expect(label).not.toMatch(/[\n\u202E]/);
  expect(label.length).toBeLessThan(150);
});
