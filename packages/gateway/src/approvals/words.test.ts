import { expect, test } from 'vitest';
import { levelOf } from './levels.ts';
import type { AcceptedTool } from '../mounts/mount.ts';
import { asksAt, claimOf, isDestructive, wordLines, wordOf } from './words.ts';

const hints = (readOnlyHint?: boolean, destructiveHint?: boolean, openWorldHint?: boolean) => ({
  name: 'tool',
  annotations: { readOnlyHint, destructiveHint, openWorldHint },
});

test.each<readonly [Omit<AcceptedTool, 'definition'>, string, string, boolean]>([
  [hints(true), 'run', 'reads only', false],
  [hints(true, false, true), 'run', 'reads only', false],
  [hints(false, false, false), 'run', 'changes data', false],
  [hints(undefined, false, false), 'run', 'changes data', false],
  [hints(false, false, true), 'ask', 'changes data, also elsewhere', false],
  [hints(false, false), 'ask', 'changes data, also elsewhere', false],
  [hints(false, true, false), 'ask', 'destroys data', true],
  [hints(false), 'ask', 'may destroy data', true],
  [hints(), 'ask', 'effect unknown', true],
  [{ name: 'tool' }, 'ask', 'effect unknown', true],
  [{ name: 'tool', annotations: 'read-only' }, 'ask', 'effect unknown', true],
  [{ name: 'tool', annotations: { readOnlyHint: 'true' } }, 'ask', 'effect unknown', true],
  // It contradicts itself.
  [hints(true, true), 'ask', 'destroys data', true],
])('a tool with the hints %j: %s (%s)', (tool, word, why, destroys) => {
  expect(wordOf(tool, {})).toStrictEqual({ word, why });
  expect(isDestructive(tool)).toBe(destroys);
  expect(asksAt('destructive', tool, {})).toBe(destroys);
  expect(asksAt('off', tool, { ask: ['tool'] })).toBe(false);
  expect(why.startsWith(claimOf(tool))).toBe(true);
});

test('patterns count before hints, block before ask before run', () => {
  const word = (name: string, rules: Parameters<typeof wordOf>[1]) =>
    wordOf({ ...hints(true), name }, rules).word;
  expect(word('a', { ask: ['a'] })).toBe('ask');
  expect(word('a', { ask: ['*'], run: ['a'] })).toBe('ask');
  expect(word('a', { ask: ['a'], run: ['a'], block: ['?'] })).toBe('block');
  expect(wordOf({ ...hints(), name: 'drop' }, { run: ['dr*'] }).word).toBe('run');
  expect(asksAt('destructive', hints(true), { ask: ['tool'] })).toBe(true);
});

const profiles = new Map([
  ['lax', { approvals: 'off' }],
  ['plain', {}],
] as const);

test.each([
  ['stdio', {}, 'destructive', undefined, 'destructive'],
  ['stdio', { profile: 'lax' }, 'ask', undefined, 'ask'],
  ['stdio', { profile: 'lax' }, 'off', undefined, 'off'],
  // A client on stdio chooses its name and has no claims.
  ['stdio', { token: 'laptop' }, 'destructive', undefined, 'destructive'],
  ['http', {}, 'off', undefined, 'ask'],
  ['http', { profile: 'lax' }, 'ask', undefined, 'off'],
  ['http', { profile: 'plain' }, 'off', undefined, 'ask'],
  ['http', { claims: { approvals: 'off' } }, 'ask', undefined, 'off'],
  ['http', { claims: { approvals: 'ask' }, profile: 'lax' }, 'ask', undefined, 'ask'],
  ['http', { claims: { approvals: 'never' } }, 'ask', undefined, 'ask'],
  // The address is the caller's choice.
  ['http', {}, 'ask', 'off', 'ask'],
  ['http', { profile: 'lax' }, 'ask', 'destructive', 'destructive'],
] as const)(
  'a caller over %s with %j on a desk with %s at the address of %s: %s',
  (transport, who, desk, route, level) => {
    const principal = { user: 'owner', ...who };
    const caller = { client: { name: 'Codex', version: '1' } } as never;
    const levels = { desk, profiles, clients: new Map() };
    expect(levelOf({ transport, principal, caller }, levels, route)).toBe(level);
    // Its name makes it stricter, never laxer.
    const named = (given: 'ask' | 'off') => ({ ...levels, clients: new Map([['codex', given]]) });
    expect(levelOf({ transport, principal, caller }, named('ask'), route)).toBe('ask');
    expect(levelOf({ transport, principal, caller }, named('off'), route)).toBe(level);
  },
);

test('what a search has found and may have an effect is at least asked about', () => {
  const harmless = { ...hints(false, false, false), name: 'tool' };
  expect(wordOf(harmless, {}).word).toBe('run');
  expect(wordOf(harmless, {}, true)).toStrictEqual({ word: 'ask', why: 'found by a search' });
  expect(wordOf(harmless, { run: ['tool'] }, true).word).toBe('ask');
  expect(wordOf(harmless, { block: ['tool'] }, true).word).toBe('block');
  expect(wordOf({ ...hints(true), name: 'tool' }, {}, true).word).toBe('run');
});

test('the words are shown in lines', () => {
  const tools = [
    { ...hints(true), name: 'read_rows' },
    { ...hints(false, true), name: 'drop_table' },
    { ...hints(), name: 'run\u200b_sql' },
    { ...hints(false, true), name: 'drop_index' },
  ];
  expect(wordLines(tools, { block: ['read_*'] })).toStrictEqual([
    'asks you first (destroys data): drop_table, drop_index',
    'asks you first (effect unknown): run\\u{200b}_sql',
    'blocked (block in deskside.toml): read_rows',
  ]);
});
