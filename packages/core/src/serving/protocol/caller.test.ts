import { expect, test } from 'vitest';
import { callerOf } from './caller.ts';
import type { Connection } from './connection.ts';

const owner = { user: 'owner' };
const stdio: Connection = { era: 'legacy', transport: 'stdio', principal: owner, session: 'stdio/1' };
const http: Connection = { era: 'modern', transport: 'http', principal: owner };
const client = { name: 'claude-code', title: 'Claude Code', version: '2' };

const sessionOf = (
  connection: Connection,
  meta?: Record<string, unknown>,
  principal = connection.principal,
) => callerOf(connection, principal, client, meta).session;

test('without a conversation id the session is the connection, and over modern HTTP it is not known', () => {
  expect(sessionOf(stdio)).toBe('stdio/1');
  expect(sessionOf(http)).toBeUndefined();
});

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
    (principal) => callerOf(http, principal, client, undefined).key,
  );
  expect(new Set(keys).size).toBe(3);
});

function labelOf(project: string | undefined, token: string | undefined): string {
  const connection = { ...stdio, project: () => project };
  const principal = token === undefined ? owner : { ...owner, token };
  return callerOf(connection, principal, client, {}).label();
}

test.each([
  ['my-project', undefined, 'Claude Code · my-project'],
  // The client can claim any name; the person chose this one.
  ['my-project', 'laptop', 'laptop · my-project'],
  [undefined, 'laptop', 'laptop'],
  [undefined, undefined, 'Claude Code'],
  ['my-project', '', 'Claude Code · my-project'],
  [undefined, ' ', 'Claude Code'],
  // What `deskside connect claude-code` writes.
  ['my-project', 'claude-code', 'Claude Code · my-project'],
])('with the project %s and the name %s from the person, the label is %s', (project, token, label) => {
  expect(labelOf(project, token)).toBe(label);
});

test.each([
  ['gemini-cli-mcp-client', undefined, 'Gemini CLI'],
  ['gemini-cli-mcp-client', 'gemini', 'Gemini CLI'],
  ['gemini-cli-mcp-client', 'left screen', 'left screen'],
  ['qwen-cli-mcp-client-deskside', undefined, 'Qwen Code'],
  ['codex-mcp-client', 'claude-code', 'Claude Code'],
  ['gemini', undefined, 'gemini'],
  ['my-agent', undefined, 'My agent'],
])('a client that calls itself %s and that the person named %s is shown as %s', (name, token, label) => {
  const named = { name, version: '1', ...(name === 'my-agent' ? { title: 'My agent' } : {}) };
  const principal = token === undefined ? owner : { ...owner, token };
  for (const connection of [stdio, http]) {
    expect(callerOf(connection, principal, named, undefined).label()).toBe(label);
  }
});

test('the label of a client without a name is its token or its user', () => {
  expect(callerOf(http, owner, undefined, undefined).label()).toBe('owner');
  expect(callerOf(http, { ...owner, token: 'laptop' }, undefined, undefined).label()).toBe('laptop');
});

test('the label is escaped and of limited length', () => {
  const named = { name: `\u202Eevil${'x'.repeat(1000)}`, version: '1' };
  const label = callerOf({ ...http, project: () => 'a\nb' }, owner, named, undefined).label();
  expect(label).not.toMatch(/[\n\u202E]/);
  expect(label.length).toBeLessThan(150);
});

test.each([
  [{ name: 'my-agent', title: '' }, 'my-agent'],
  [{ name: 'my-agent', title: ' ' }, 'my-agent'],
  [{ name: '' }, 'owner'],
])('the label of a client that calls itself %j is %s', (named, label) => {
  expect(callerOf(http, owner, { version: '1', ...named }, undefined).label()).toBe(label);
});
