import { expect, test } from 'vitest';
import type { SessionHello } from './hello.ts';
import { ATTACH_PROTOCOL, compareVersions } from './protocol.ts';
import { answerToSession, type DeskState, mayReplace } from './session-rules.ts';

const desk = (state: Partial<DeskState> = {}): DeskState => ({
  version: '1.2.0',
  settings: {},
  isExplicit: false,
  hasProfile: (profile) => profile === 'work',
  ...state,
});

const session = (hello: Partial<SessionHello> = {}): SessionHello => ({
  kind: 'session',
  protocol: ATTACH_PROTOCOL,
  version: '1.2.0',
  session: 'attach/1',
  pid: 1,
  env: {},
  settings: {},
  ...hello,
});

const replace = (version: string, isExplicit = false) =>
  ({ kind: 'replace', protocol: 1, version, isExplicit }) as const;

test.each([
  ['the same version', session(), 'welcome'],
  ['an older client', session({ version: '1.1.9' }), 'welcome'],
  ['a newer client', session({ version: '1.10.0' }), 'outdated'],
  ['a client with a known profile', session({ profile: 'work' }), 'welcome'],
  ['a client with an unknown profile', session({ profile: 'home' }), 'refused'],
  ['a newer protocol at a desk that may hand over', session({ protocol: 2, version: '2.0.0' }), 'outdated'],
  ['a newer protocol of an older package', session({ protocol: 2, version: '1.0.0' }), 'refused'],
] as const)('%s gets the right answer', (_, hello, answer) => {
  expect(answerToSession(hello, desk()).kind).toBe(answer);
});

test.each([
  ['a newer desk', replace('1.3.0'), desk(), true],
  ['an older desk', replace('1.1.0'), desk(), false],
  ['a desk of the same version', replace('1.2.0'), desk(), false],
  ['a desk of the same version that a person starts', replace('1.2.0', true), desk(), true],
  ['an older desk that a person starts', replace('1.1.0', true), desk(), false],
  ['a second desk that a person starts', replace('1.2.0', true), desk({ isExplicit: true }), false],
  ['a newer desk, if a person started this one', replace('1.3.0'), desk({ isExplicit: true }), true],
] as const)('%s takes over, or does not', (_, hello, state, answer) => {
  expect(mayReplace(hello, state)).toBe(answer);
});

test('a client with other Deskside variables is refused, and the reason names them without their values', () => {
  const hello = session({ settings: { TODO_DATABASE_URL: 'postgres://secret', DESKSIDE_MOUNTS: 'todo' } });
  const state = desk({ settings: { DESKSIDE_MOUNTS: 'todo', LOG_NOTIFY_FILE: 'x' } });
  expect(answerToSession(hello, state)).toStrictEqual({
    kind: 'refused',
    reason:
      'these variables differ from those of the desk: LOG_NOTIFY_FILE, TODO_DATABASE_URL; set them in deskside.toml instead',
  });
});

test.each([
  ['1.2.3', '1.2.3', 0],
  ['1.2.10', '1.2.9', 1],
  ['0.9.0', '1.0.0', -1],
  ['2.0.0-beta.1', '2.0.0', -1],
  ['2.0.0-beta.1', '1.9.9', 1],
  ['not a version', '0.0.0', 0],
] as const)('version %s compared with %s is %i', (a, b, result) => {
  expect(compareVersions(a, b)).toBe(result);
});

test('the remedy for variables that deskside.toml cannot have is another one', () => {
  expect(answerToSession(session({ settings: { DESKSIDE_LOG_LEVEL: 'debug' } }), desk())).toStrictEqual({
    kind: 'refused',
    reason:
      'these variables differ from those of the desk: DESKSIDE_LOG_LEVEL; set the same for all clients, then run "deskside stop"',
  });
});
