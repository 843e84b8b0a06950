import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { accept } from '@deskside/gateway/config';
import { loadConfig, placesFor } from '../config/load.ts';
import { runCommand, SELF } from '../testing/commands.ts';
import { userHome } from '../testing/user-home.ts';
import { apply } from './apply.ts';
import { doctor } from './doctor.ts';
import { list } from './list.ts';

const dryRun = { flags: { 'dry-run': true } };

/** A user with a deskside.toml. */
function deskFile(text: string) {
  const user = userHome();
  user.edit(text);
  return { ...user, data: join(user.folder, 'data/deskside') };
}

const listTodo = async () => (await runCommand(list(SELF), { flags: { mounts: 'todo' } })).stdout;

test('deskside runs the accepted copy of deskside.toml, and apply accepts a change', async () => {
  const { file, data } = deskFile('[mounts.todo]\nuser = "ada"\n');
  expect(await listTodo()).toContain(`${file} is not in use yet. Run "deskside apply".`);
  expect(await runCommand(apply)).toStrictEqual({
    code: 1,
    stdout: '+ mounts.todo.user = "ada"\n',
    stderr:
      'Nothing was changed. No display and no terminal can ask you. Run it in a terminal, or pass --yes.\n',
  });
  expect(await listTodo()).toContain('is not in use yet');
  expect(await runCommand(apply, { flags: { yes: true } })).toStrictEqual({
    code: 0,
    stdout: '+ mounts.todo.user = "ada"\nApplied. Run "deskside stop": the next client starts a new desk.\n',
    stderr: '',
  });
  expect(await listTodo()).not.toContain('deskside.toml');
  expect(statSync(data).mode & 0o777).toBe(0o700);
  writeFileSync(file, '# nothing else\n[mounts.todo]\nuser = "ada"\n');
  expect((await runCommand(apply)).stdout).toBe('Nothing differs from the accepted copy.\n');
  expect(await listTodo()).not.toContain('deskside.toml');
  rmSync(file);
  expect(await listTodo()).toContain(`${file} has changed; the accepted copy is in use.`);
  expect((await runCommand(apply, { flags: { yes: true } })).stdout).toMatch(/^- mounts\.todo\.user/);
  expect(await listTodo()).not.toContain('deskside.toml');
});

/** What is said while the accepted profile is in use. */
async function notesWithProfile() {
  const { config, notes } = (await loadConfig(undefined)) ?? {};
  expect(config?.profiles.has('work')).toBe(true);
  return notes;
}

test('beside a deskside.toml that cannot be read the accepted copy runs, and apply refuses it', async () => {
  const { file } = deskFile('[profiles.work]\nmounts = ["todo"]\n');
  const latin1 = Buffer.from('# f\u00fcr\n', 'latin1');
  writeFileSync(file, latin1);
  await expect(loadConfig(undefined)).rejects.toThrow('not UTF-8');
  writeFileSync(file, '[profiles.work]\nmounts = ["todo"]\n');
  await runCommand(apply, { flags: { yes: true } });
  writeFileSync(file, latin1);
  expect(await notesWithProfile()).toStrictEqual([
    `${file}: It is not UTF-8. Save it as UTF-8. The accepted copy is in use. Run "deskside apply --dry-run".`,
  ]);
  expect((await runCommand(apply, { flags: { yes: true } })).stderr).toContain('not UTF-8');
  rmSync(file);
  mkdirSync(file);
  expect(await notesWithProfile()).toStrictEqual([
    expect.stringMatching(/It is not a file\. .*"deskside apply --dry-run"\.$/),
  ]);
});

test('apply says that the login of a server stays that it removes', async () => {
  const { file, data } = deskFile('[mcpServers.guard]\nurl = "https://guard.example"\n');
  await accept(placesFor(undefined), '[mcpServers.guard]\nurl = "https://guard.example"\n');
  mkdirSync(join(data, 'logins'));
  writeFileSync(join(data, 'logins/guard-0.json'), '{', { mode: 0o600 });
  writeFileSync(file, '');
  expect((await runCommand(apply, { flags: { yes: true } })).stdout).toContain(
    'You are still logged in at guard. To end that: deskside logout guard\n',
  );
});

test('doctor lists changes that wait as a problem', async () => {
  const { file } = deskFile('[mounts.todo]\nuser = "ada"\n');
  const flags = { mounts: 'todo' };
  const problems = `Problems:\n  ✗ ${file} is not in use yet.\n    Run "deskside apply".\n`;
  expect(await runCommand(doctor(SELF), { flags })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(problems),
  });
  await runCommand(apply, { flags: { yes: true } });
  expect((await runCommand(doctor(SELF), { flags })).stdout).toContain('\n✓ No problems found.\n');
});

test('apply and its dry run name the line of a problem, and a file with a problem is not applied', async () => {
  const { file } = deskFile('[mounts.todo]\n\nusr = "ada"\n');
  const problem = `${file}, line 3: mounts.todo.usr: unknown. Did you mean "user"? Settings of todo: database, migration_url, connections, user, delegated_users, tools.\n`;
  expect(await runCommand(apply, dryRun)).toStrictEqual({ code: 1, stdout: problem, stderr: '' });
  expect(await runCommand(apply, { flags: { yes: true } })).toStrictEqual({
    code: 1,
    stdout: problem,
    stderr: 'Nothing was applied. Correct the file.\n',
  });
  expect(readFileSync(file, 'utf8')).toBe('[mounts.todo]\n\nusr = "ada"\n');
});

const waiting = async () => (await runCommand(apply, dryRun)).stdout;

test('apply --dry-run reports how many changes wait, also of a file that was deleted', async () => {
  const { file } = deskFile('[mounts.todo]\nuser = "ada"\n');
  const change = 'mounts.todo.user = "ada"\n1 change waits for "deskside apply".\n';
  expect(await waiting()).toBe(`${file}: no problems.\n+ ${change}`);
  await runCommand(apply, { flags: { yes: true } });
  rmSync(file);
  expect(await waiting()).toBe(`${file} does not exist. The accepted copy is in use.\n- ${change}`);
  await runCommand(apply, { flags: { yes: true } });
  expect(await waiting()).toBe(`${file} does not exist. Deskside runs with its defaults.\n`);
});

test('--config names another file, which has its own accepted copy', async () => {
  deskFile('[mounts.todo]\nuser = "ada"\n');
  const other = join(temporaryFolder(), 'other.toml');
  const flags = { config: other };
  expect(await runCommand(list(SELF), { flags })).toMatchObject({
    code: 1,
    stderr: `${other} does not exist. Create it, or start without --config.\n`,
  });
  writeFileSync(other, '[profiles.work]\nmounts = ["todo"]\n');
  expect((await runCommand(apply, { flags: { ...flags, yes: true } })).stdout).toContain(
    '+ profiles.work.mounts = ["todo"]',
  );
  expect((await runCommand(list(SELF), { flags })).stdout).not.toContain('not in use');
  expect(await listTodo()).toContain('not in use');
});

test('the question of apply uses the file of --config, not that of the environment', async () => {
  const { file } = deskFile('[mounts.todo]\nuser = "ada"\n');
  const env = { DESKSIDE_CONFIG: '/gone.toml' };
  const ran = await runCommand(apply, { flags: { config: file }, env, typed: 'y\n' });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
});
