import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RunOptions, runCommand } from '../testing/commands.ts';
import { userHome } from '../testing/user-home.ts';
import { apply } from './apply.ts';
import { log } from './log.ts';
import { tokenCreate, tokenList, tokenRevoke, tokenRotate, tokenShow } from './token.ts';

test('token create, list, rotate and revoke; a token is stored as a digest only, in a file of its owner', async () => {
  const { folder } = userHome();
  const created = await runCommand(tokenCreate, { operands: ['laptop'], flags: { yes: true } });
  expect(created).toStrictEqual({
    code: 0,
    stdout: expect.stringMatching(/^deskside_[\w-]{43}\n$/),
    stderr: 'Clients send it as a bearer token. It is not shown again.\n',
  });
  const { stdout } = await runCommand(log, { flags: { json: true } });
  expect(JSON.parse(stdout)).toMatchObject({
    caller: 'deskside token create',
    kind: 'approval',
    outcome: 'allowed',
  });
  const listed = await runCommand(tokenList);
  expect(listed.stdout.split(/\s+/).slice(0, 3)).toStrictEqual(['laptop', 'you', 'everything']);
  expect(listed.stdout).not.toContain(created.stdout.trim());
  const data = join(folder, 'data/deskside');
  const file = join(data, 'tokens.json');
  expect(readFileSync(file, 'utf8')).not.toContain(created.stdout.trim().slice(9));
  expect([statSync(file).mode & 0o777, statSync(data).mode & 0o777]).toStrictEqual([0o600, 0o700]);
  expect(readdirSync(data)).toStrictEqual(['tokens.json']);
  const rotated = await runCommand(tokenRotate, { operands: ['laptop'] });
  expect(rotated.stdout).toMatch(/^deskside_/);
  expect(rotated.stdout).not.toBe(created.stdout);
  expect((await runCommand(tokenRevoke, { operands: ['laptop'] })).stderr).toBe(
    'The token "laptop" is revoked.\n',
  );
  expect((await runCommand(tokenList)).stdout).toMatch(/^No tokens /);
  chmodSync(file, 0o644);
  expect((await runCommand(tokenList)).stderr).toContain(`Run: chmod 600 ${file}`);
});

/** Whether it prints a token. */
async function rotate(name: string, options: RunOptions = {}): Promise<boolean> {
  const { stdout } = await runCommand(tokenRotate, { operands: [name], ...options });
  return /deskside_/.test(stdout);
}

test('token rotate asks for a token whose calls ask less', async () => {
  userHome().edit('[profiles.free]\napprovals = "off"\n\n[profiles.careful]\napprovals = "ask"\n');
  await runCommand(apply, { flags: { yes: true } });
  const tokens = { own: { approvals: 'off' }, by: { profile: 'free' }, careful: { profile: 'careful' } };
  for (const [name, flags] of Object.entries(tokens))
    await runCommand(tokenCreate, { operands: [name], flags: { ...flags, yes: true } });
  for (const name of ['own', 'by']) {
    expect(await rotate(name)).toBe(false);
    expect(await rotate(name, { typed: 'n\n' })).toBe(false);
    expect(await rotate(name, { typed: 'y\n' })).toBe(true);
  }
  expect(await rotate('careful')).toBe(true);
});

test('token rotate without a name replaces the main token', async () => {
  const { folder: home } = userHome();
  const before = (await runCommand(tokenShow)).stdout;
  const rotated = await runCommand(tokenRotate);
  expect(rotated.stdout).not.toBe(before);
  expect(readFileSync(join(home, 'data/deskside/token'), 'utf8')).toBe(rotated.stdout);
  expect((await runCommand(tokenShow)).stdout).toBe(rotated.stdout);
});

function create(flags: Record<string, string>) {
  return runCommand(tokenCreate, { operands: ['guest'], flags: { ...flags, yes: true } });
}

test('a token of another user needs a profile that exists', async () => {
  const { edit } = userHome();
  expect((await create({ user: 'bob' })).stderr).toBe(
    'A token of another user needs a profile. Add --profile NAME.\n',
  );
  expect((await create({ user: 'bob', profile: 'work' })).stderr).toBe(
    'Unknown profile "work". Add [profiles."work"] to deskside.toml, then run "deskside apply".\n',
  );
  edit('[profiles.work]\nmounts = ["todo"]\n');
  expect((await create({ user: 'bob', profile: 'work' })).code).toBe(1);
  await runCommand(apply, { flags: { yes: true } });
  expect((await create({ user: 'bob', profile: 'work' })).code).toBe(0);
  expect((await runCommand(tokenList)).stdout).toMatch(/^guest +bob +work /);
});

test('the id of the owner is not another user', async () => {
  userHome();
  const env = { TODO_USER_ID: 'ada' };
  const options = { operands: ['laptop'], flags: { user: 'ada', yes: true }, env };
  expect((await runCommand(tokenCreate, options)).code).toBe(0);
  expect((await runCommand(tokenList)).stdout).toMatch(/^laptop +you /);
});

test.each([
  [tokenCreate, [], 'Pass one NAME. See --help.'],
  [tokenCreate, ['x'.repeat(33)], 'Invalid token name "xxx'],
  [tokenCreate, ['laptop'], 'A token "laptop" exists. Use "deskside token rotate laptop" to replace it.'],
  [tokenRevoke, ['phone'], 'No token "phone" exists. Tokens: laptop.'],
  [tokenRotate, ['phone'], 'No token "phone" exists. Tokens: laptop.'],
])('of the tokens laptop alone, command %# takes no name %j: %s', async (command, operands, message) => {
  userHome();
  const flags = { yes: true };
  await runCommand(tokenCreate, { operands: ['laptop'], flags });
  const refused = { code: 1, stdout: '', stderr: expect.stringContaining(message) };
  expect(await runCommand(command, { operands, flags })).toStrictEqual(refused);
});

test.each([
  ['main', '"main" is the token of "deskside token show". Choose another name.\n'],
  ['a b', 'Invalid token name "a b". Use 1 to 32 letters, digits, "_" and "-".\n'],
])('token create %s is refused before it asks', async (name, stderr) => {
  userHome();
  const ran = await runCommand(tokenCreate, { operands: [name], typed: 'y\n' });
  expect(ran).toStrictEqual({ code: 1, stdout: '', stderr });
});
