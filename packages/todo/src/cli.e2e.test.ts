import { spawnSync } from 'node:child_process';
import { chmodSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cleanEnvironment,
  type Command,
  connectHttp,
  connectStdio,
  firstText,
  installedWithoutNativeParts,
  type Peer,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { todoTools } from './tools/index.ts';

const CLI = join(import.meta.dirname, '../dist/bin/cli.js');
const me = { user_id: 'me' };
const toolNames = todoTools('all').map(({ name }) => name);

function todo(home: string, args: readonly string[] = []): Command {
  return { command: process.execPath, args: [CLI, ...args], env: cleanEnvironment(home) };
}

test('deskside-todo over stdio keeps a task for the next process, in a file with mode 0600', async () => {
  const home = temporaryFolder();
  {
    await using peer = await connectStdio(todo(home), { era: 'modern' });
    expect((await peer.listTools()).map(({ name }) => name)).toStrictEqual(toolNames);
    expect(firstText(await peer.callTool('add_task', { ...me, title: 'Milk' }))).toBe(
      '{"task_id":1,"status":"created","title":"Milk"}',
    );
  }
  await using peer = await connectStdio(todo(home), { era: 'modern' });
  expect(firstText(await peer.callTool('list_tasks', me))).toContain('"title":"Milk"');
  const database = join(home, 'data/deskside/todo.sqlite');
  expect(statSync(database).mode & 0o777).toBe(0o600);
});

test('without the native part of better-sqlite3 answers, commands and doctor say to install again', async () => {
  const home = temporaryFolder();
  const cli = installedWithoutNativeParts(join(import.meta.dirname, '..'));
  const run = (...args: readonly string[]) => ({ ...todo(home), args: [cli, ...args] });
  const again = /native part of better-sqlite3 .*Install the server again/;
  await using peer = await connectStdio(run(), { era: 'modern' });
  const answer = firstText(await peer.callTool('list_tasks', me));
  expect(answer).toMatch(again);
  expect(answer).not.toMatch(/log gives|\.\.|node_modules/);
  await using listing = startProgram(run('list'));
  expect(await listing.exited).toBe(1);
  expect(listing.stderr()).toMatch(again);
  writeFileSync(join(home, 'todo.sqlite'), '');
  await using doctor = startProgram(run('doctor', '--database', join(home, 'todo.sqlite')));
  expect(await doctor.exited).toBe(1);
  expect(doctor.stdout().replaceAll(/\s+/g, ' ')).toMatch(again);
  expect(doctor.stdout()).not.toMatch(/another file|Require stack/);
});

test('a database that cannot be changed is an error with the next step, and doctor reads it', async () => {
  const home = temporaryFolder();
  const file = join(home, 'todo.sqlite');
  const run = (args: readonly string[]) => {
    const { command, args: all, env } = todo(home, [...args, '--database', file]);
    // Root could change it.
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    return spawnSync(command, all, { env, encoding: 'utf8', ...user });
  };
  {
    await using program = startProgram(todo(home, ['add', 'Milk', '--database', file]));
    expect(await program.exited).toBe(0);
  }
  chmodSync(file, 0o444);
  chmodSync(home, 0o555);
  const listed = run(['list']);
  expect(listed).toMatchObject({ status: 1, stdout: '' });
  expect(listed.stderr).toContain(
    `${file}: it is read-only here, and reading needs to write to the file and its folder too. Copy it`,
  );
  expect(run(['doctor']).stdout).toMatch(/Tasks +1 pending, 0 completed/);
  chmodSync(home, 0o700);
});

test('a relative path in the arguments of a client is refused with the absolute one, and nothing is created', () => {
  const cwd = temporaryFolder();
  const { command, args, env } = todo(cwd, ['--database', 'todo.sqlite']);
  // Its input is a pipe, as a client gives it.
  const { status, stderr } = spawnSync(command, args, { env, cwd, encoding: 'utf8' });
  expect(stderr).toContain(`use the absolute path, such as ${join(cwd, 'todo.sqlite')}.`);
  expect([status, readdirSync(cwd)]).toStrictEqual([1, []]);
});

test('an export that cannot be written is not called exported', () => {
  const { command, args, env } = todo(temporaryFolder(), ['export']);
  const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const;
  expect(spawnSync(command, args, { env, stdio: [...stdio], encoding: 'utf8' })).toMatchObject({
    status: 1,
    stderr: 'deskside-todo export: The output cannot be written (ENOSPC).\n',
  });
});

/** A client that works on until it is refused. */
async function refused(peer: Peer): Promise<string> {
  for (;;) {
    try {
      await peer.callTool('list_tasks', me);
    } catch (error) {
      return String(error);
    }
  }
}

test('a server with --http accepts in both eras its generated token, and those of users until they are revoked, and ends with SIGTERM', async () => {
  const home = temporaryFolder();
  await using server = startProgram(todo(home, ['--http', '--port', '0']));
  const [, url = ''] = await server.printed(/serves MCP at (\S+)\n/);
  const [, file = ''] = await server.printed(/bearer token in (\S+)\./);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const main = readFileSync(file, 'utf8').trim();
  const token = (...words: readonly string[]) => {
    const { command, args, env } = todo(home, ['token', ...words]);
    const { stdout, stderr, status } = spawnSync(command, args, { env, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return stdout.trim();
  };
  const connect = async (era: 'legacy' | 'modern', bearer: string) => {
    const peer = await connectHttp(url, { era, token: bearer });
    onTestFinished(() => peer[Symbol.asyncDispose]());
    return peer;
  };
  const old = token('create', 'phone', '--user', 'anna');
  const peers = [await connect('legacy', old), await connect('modern', old)] as const;
  expect(firstText(await peers[0].callTool('add_task', { ...me, title: 'Annas' }))).toContain('"task_id":1');
  expect(firstText(await peers[1].callTool('list_tasks', me))).toContain('"title":"Annas"');
  for (const user_id of ['owner', 'ben'])
    expect(firstText(await peers[0].callTool('list_tasks', { user_id }))).toBe('{"error":"User not found"}');
  for (const era of ['legacy', 'modern'] as const)
    expect(firstText(await (await connect(era, main)).callTool('list_tasks', me))).toBe('[]');

  const next = await connect('legacy', token('create', 'phone-2', '--user', 'anna'));
  token('revoke', 'phone');
  for (const reason of await Promise.all(peers.map(refused))) expect(reason).toMatch(/401|Unauthorized/);
  expect(firstText(await next.callTool('list_tasks', me))).toContain('"title":"Annas"');
  expect(token('list')).toMatch(/^phone-2 +anna .*used [^\n]*$/);
  expect(server.stdout() + server.stderr()).not.toContain(main);
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
});
