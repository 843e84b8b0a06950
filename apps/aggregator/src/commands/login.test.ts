import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accept } from '@deskside/gateway/config';
import { allow, scriptedServer } from '@deskside/gateway/testing/authorization-server';
import { placesFor } from '../config/load.ts';
import { runCommand, SELF } from '../testing/commands.ts';
import { browse, loginServer } from '@deskside/gateway/testing/login-server';
import { userHome } from '../testing/user-home.ts';
import { add } from './add.ts';
import { apply } from './apply.ts';
import { login, logout } from './login.ts';
import { list } from './list.ts';
import { remove as removeCommand } from './remove.ts';

const FLAGS = { 'no-mounts': 'popup,log,toast,manictime,todo' };
const listed = async () => (await runCommand(list(SELF), { flags: FLAGS })).stdout;

/** The address of the login, once it is printed. */
async function addressIn(stdout: () => string): Promise<string> {
  const printed = () => /^http\S+$/m.exec(stdout())?.[0];
  await expect.poll(printed).toBeDefined();
  return printed() ?? '';
}

async function* logInAndAdd(stdout: () => string) {
  yield 'y\n';
  await browse(await addressIn(stdout));
  await expect.poll(stdout).toContain('Add the server guard to');
  yield 'y\n';
}

/** From a browser on another machine. */
async function* paste(stdout: () => string) {
  const address = await addressIn(stdout);
  const end = new URL(address).searchParams.get('redirect_uri') ?? '';
  yield `${await browse(address, end)}\n`;
}

test('add offers the login, login takes a pasted address, list shows it, logout ends it', async () => {
  const { text } = userHome();
  const server = await loginServer();
  const operands = ['guard', server.url];
  const refused = await runCommand(add, { operands, typed: 'n\n' });
  expect(refused.stdout).toContain('guard needs a login. Log in now? [y/N]');
  expect(refused.stdout).toContain('needs a login. Run "deskside login guard".');
  const added = await runCommand(add, { operands, typed: logInAndAdd });
  expect(added).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Added guard.') });
  expect(text()).toContain(server.url);
  expect(await listed()).toMatch(/^guard .*\n  Logged in since \S+ \S+, until \S+ \S+, then renewed\.$/m);

  expect(await runCommand(logout, { operands: ['guard'] })).toMatchObject({
    stdout: 'You are logged out of guard.\n',
  });
  expect(await listed()).not.toContain('Logged in');
  expect((await runCommand(logout, { operands: ['guard'] })).stderr).toBe('There is no login at "guard".\n');

  const pasted = await runCommand(login, { operands: ['guard'], typed: paste });
  expect(pasted).toMatchObject({ code: 0, stdout: expect.stringContaining('You are logged in to guard.') });
  expect(await listed()).toContain('Logged in since');
});

test('login and logout of another user', async () => {
  userHome();
  const server = await loginServer();
  await runCommand(add, { operands: ['guard', server.url], typed: logInAndAdd });
  const flags = { as: 'ada' };
  const logged = await runCommand(login, { operands: ['guard'], flags, typed: paste });
  expect(logged).toMatchObject({ code: 0, stdout: expect.stringContaining('ada is logged in to guard.') });
  const ended = await runCommand(logout, { operands: ['guard'], flags });
  expect(ended.stdout).toBe('ada is logged out of guard.\n');
  expect((await runCommand(logout, { operands: ['guard'], flags })).stderr).toBe(
    'There is no login of "ada" at "guard".\n',
  );
  expect(await listed()).toContain('Logged in since');

  const own = await runCommand(logout, { operands: ['guard'], flags: { as: 'owner' } });
  expect(own.stdout).toBe('You are logged out of guard.\n');
  expect(await listed()).not.toContain('Logged in');
});

test('remove says that a login stays, also one that cannot be read, and logout ends it then', async () => {
  const { edit, folder } = userHome();
  const remove = async () => {
    edit('[mcpServers.guard]\nurl = "https://guard.example"\n');
    return (await runCommand(removeCommand, { operands: ['guard'] })).stdout;
  };
  expect(await remove()).not.toContain('logged in');
  const server = await loginServer();
  edit('');
  await runCommand(add, { operands: ['guard', server.url], typed: logInAndAdd });
  const stays = 'You are still logged in at guard. To end that: deskside logout guard\n';
  expect((await runCommand(removeCommand, { operands: ['guard'] })).stdout).toContain(stays);
  expect(await runCommand(logout, { operands: ['guard'] })).toMatchObject({
    code: 0,
    stdout: 'You are logged out of guard.\n',
  });
  const logins = join(folder, 'data/deskside/logins');
  writeFileSync(join(logins, 'guard-0.json'), '{', { mode: 0o600 });
  expect(await remove()).toContain(stays);
  const { code, stdout } = await runCommand(logout, { operands: ['guard'] });
  expect(code).toBe(0);
  expect(stdout).toContain('End the access of Deskside in your account there, too.');
});

async function* onlyAllow(stdout: () => string) {
  await allow(await addressIn(stdout));
  // Nothing is pasted.
  yield new Promise<string>(() => undefined);
}

test('login asks the server with the headers of deskside.toml', async () => {
  const { edit, text } = userHome();
  const { url } = await scriptedServer({
    '/mcp': ({ headers }) =>
      headers['x-tenant'] === 'desk'
        ? { status: 401, headers: { 'www-authenticate': 'Bearer scope="read"' } }
        : { status: 400 },
  });
  edit(`[mcpServers.guard]\nurl = "${url}"\nheaders = { X-Tenant = "\${env:TENANT}" }\n`);
  await accept(placesFor(undefined), text());
  const { stdout } = await runCommand(login, {
    operands: ['guard'],
    env: { TENANT: 'desk' },
    typed: onlyAllow,
  });
  expect(stdout).toMatch(/&scope=read$/m);
  expect(stdout).toContain('You are logged in to guard.');
});

test('a login at an earlier address of a server is not shown: calls do not use it', async () => {
  const { edit, text } = userHome();
  const server = await loginServer();
  await runCommand(add, { operands: ['guard', server.url], typed: logInAndAdd });
  expect(await listed()).toContain('Logged in since');
  edit(text().replace(server.url, `${server.url}?v=2`));
  await runCommand(apply, { flags: { yes: true } });
  expect(text()).toContain('?v=2');
  expect(await listed()).not.toContain('Logged in');
});
