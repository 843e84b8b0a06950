import { expect, test } from 'vitest';
import { readAttachArguments } from './arguments.ts';

const read = (line: string, env: Record<string, string> = {}) =>
  readAttachArguments(line.split(' ').filter(Boolean), env);

test.each([
  ['stdio', {}, {}],
  ['stdio --as=left --profile work', {}, { name: 'left', profile: 'work' }],
  ['stdio --as left', { DESKSIDE_AS: 'right' }, { name: 'left' }],
  ['stdio', { DESKSIDE_AS: 'right', DESKSIDE_PROFILE: 'work' }, { name: 'right', profile: 'work' }],
  ['stdio', { DESKSIDE_AS: '', DESKSIDE_STANDALONE: 'false' }, {}],
  ['stdio --attach-timeout 2.01', {}, { timeoutMs: 2010 }],
  ['stdio', { DESKSIDE_ATTACH_TIMEOUT: '9999999' }, { timeoutMs: 2_147_483_647 }],
])('"%s" with %j attaches', (line, env, expected) => {
  expect(read(line, env)).toStrictEqual({
    name: undefined,
    profile: undefined,
    timeoutMs: 1000,
    ...expected,
  });
});

test.each([
  ['http', {}],
  ['stdio --standalone', {}],
  ['stdio --as left --help', {}],
  ['stdio -v', {}],
  ['stdio', { DESKSIDE_STANDALONE: '1' }],
  // The whole program reports these.
  ['stdio --as', {}],
  ['stdio --as --profile', {}],
  ['stdio --attach-timeout soon', {}],
  ['stdio --attach-timeout 0', {}],
])('"%s" with %j runs the whole program', (line, env) => {
  expect(read(line, env)).toBeUndefined();
});

test.each(['stdio --mounts todo', 'stdio --log-level=debug'])('"%s" says why it does not attach', (line) => {
  expect(read(line)).toMatch(/^--(?:mounts|log-level) holds for this process alone$/);
});
