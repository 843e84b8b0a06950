import type { Command, Flags } from '@deskside/core/program';
import { expect, test } from 'vitest';
import { runCommand, SELF } from '../testing/commands.ts';
import { userHome } from '../testing/user-home.ts';
import { add } from './add.ts';
import { connect } from './connect.ts';
import { list } from './list.ts';
import { login, logout } from './login.ts';
import { remove } from './remove.ts';
import { rulesAllow, rulesDeny, rulesRemove } from './rules.ts';
import { tokenCreate, tokenRevoke } from './token.ts';

const LONG = 'x'.repeat(100_000);
/** Of a path of the test, and what is said of a long word. */
const MAX_ERROR_LENGTH = 1000;

test.each<[string, Command, readonly string[], Flags?]>([
  ['token create', tokenCreate, [LONG]],
  ['token create --profile', tokenCreate, ['laptop'], { profile: LONG }],
  ['token revoke', tokenRevoke, [LONG]],
  ['rules allow', rulesAllow, [LONG, 'act']],
  ['rules remove', rulesRemove, [LONG]],
  ['add', add, [LONG, 'npx']],
  ['remove', remove, [LONG]],
  ['login', login, [LONG]],
  ['logout', logout, [LONG]],
  ['connect', connect(SELF), [LONG]],
  ['list --mounts', list(SELF), [], { mounts: LONG }],
])('%s repeats the beginning of a long word only', async (_, command, operands, flags = {}) => {
  userHome();
  const { code, stdout, stderr } = await runCommand(command, { operands, flags });
  expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
  expect(stderr.length).toBeLessThan(MAX_ERROR_LENGTH);
  expect(stderr).not.toBe('');
});

test.each([
  ['', ''],
  ['shop', ' '],
])('rules deny %j %j names nothing', async (...operands) => {
  userHome();
  const { code, stderr } = await runCommand(rulesDeny, { operands });
  expect({ code, stderr }).toStrictEqual({ code: 1, stderr: 'Pass MOUNT and TOOL. See --help.\n' });
});
