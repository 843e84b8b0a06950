import { spawnSync } from 'node:child_process';
import { chmodSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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
import { MAIN_TOKEN as TOKEN, startReplica, todoCommand } from './testing/replica.ts';
import { todoTools } from './tools/index.ts';

const CLI = join(import.meta.dirname, '../dist/bin/cli.js');
const ERAS = ['legacy', 'modern'] as const;
const me = { user_id: 'me' };
const toolNames = todoTools('all').map(({ name }) => name);

function todo(home: string, args: readonly string[] = [], env: Record<string, string> = {}): Command {
  return { command: process.execPath, args: [CLI, ...args], env: { ...cleanEnvironment(home), ...env } };
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

test('deskside-todo --http serves both eras with the generated token, rejects a wrong one, and ends with SIGTERM', async () => {
  const home = temporaryFolder();
  await using server = startProgram(todo(home, ['--http', '--port', '0']));
  const [, url = ''] = await server.printed(/serves MCP at (\S+)\n/);
  const [, file = ''] = await server.printed(/bearer token in (\S+)\./);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const token = readFileSync(file, 'utf8').trim();
  for (const era of ERAS) {
    await using peer = await connectHttp(url, { era, token });
    await peer.callTool('add_task', { ...me, title: era });
    expect(firstText(await peer.callTool('list_tasks', me))).toContain(`"title":"${era}"`);
    await expect(connectHttp(url, { era, token: 'wrong' })).rejects.toThrow(/401|Unauthorized/);
  }
  expect(server.stdout() + server.stderr()).not.toContain(token);
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
});

test('two users of one file do not see, change or detect each other', async () => {
  const home = temporaryFolder();
  const connectAs = (user: string) => connectStdio(todo(home, ['--user', user]), { era: 'modern' });
  await using anna = await connectAs('anna');
  await using ben = await connectAs('ben');
  await anna.callTool('add_task', { ...me, title: 'Annas' });
  await anna.callTool('add_task', { ...me, title: 'second' });
  expect(firstText(await ben.callTool('list_tasks', me))).toBe('[]');
  expect(firstText(await ben.callTool('list_tasks', { user_id: 'anna' }))).toBe('{"error":"User not found"}');
  expect(await ben.callTool('list_tasks', { user_id: 'anna' })).toStrictEqual(
    await ben.callTool('list_tasks', { user_id: 'stranger' }),
  );
  expect(firstText(await ben.callTool('delete_task', { ...me, task_id: 1 }))).toBe(
    '{"error":"Task not found","task_id":1}',
  );
  expect(firstText(await ben.callTool('add_task', { ...me, title: 'Bens' }))).toContain('"task_id":1');
  expect(firstText(await anna.callTool('list_tasks', me))).toMatch(/second.*Annas/);
});

test('calls on a database that cannot be used answer UNAVAILABLE without a path, which the log has', async () => {
  const home = temporaryFolder();
  const file = '/proc/nowhere/deep/todo.sqlite';
  const options = ['--http', '--port', '0', '--database', file];
  await using server = startProgram(todo(home, options, { DESKSIDE_TOKEN: TOKEN }));
  const [, url = ''] = await server.printed(/serves MCP at (\S+)\n/);
  await using peer = await connectHttp(url, { era: 'modern', token: TOKEN });
  const answer = await peer.callTool('list_tasks', me);
  expect(answer.isError).toBe(true);
  expect(JSON.parse(firstText(answer))).toMatchObject({ code: 'UNAVAILABLE' });
  expect(firstText(answer)).not.toContain('nowhere');
  const [line = ''] = await server.printed(/^.*task database unavailable.*$/m);
  expect(JSON.parse(line)).toMatchObject({ level: 'error', reason: expect.stringContaining(file) });
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

test('an export that cannot be written is not called exported', () => {
  const { command, args, env } = todo(temporaryFolder(), ['export']);
  const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const;
  expect(spawnSync(command, args, { env, stdio: [...stdio], encoding: 'utf8' })).toMatchObject({
    status: 1,
    stderr: 'deskside-todo export: The output cannot be written (ENOSPC).\n',
  });
});

/** A command of the operator. */
function token(database: string, ...args: readonly string[]): string {
  const { command, args: all, env } = todoCommand(database, ['token', ...args]);
  const { stdout, stderr, status } = spawnSync(command, all, { env, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return stdout.trim();
}

async function connect(url: string, era: 'legacy' | 'modern', token: string): Promise<Peer> {
  const peer = await connectHttp(url, { era, token });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return peer;
}

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

test('a token of a user is rotated on two running servers of one file, and its user sees no other tasks', async () => {
  const database = join(temporaryFolder(), 'todo.sqlite');
  const [{ url: one }, { url: other }] = [await startReplica(database), await startReplica(database)];
  const old = token(database, 'create', 'phone', '--user', 'anna');
  const peers = [await connect(one, 'legacy', old), await connect(other, 'modern', old)] as const;
  expect(firstText(await peers[0].callTool('add_task', { ...me, title: 'Annas' }))).toContain('"task_id":1');
  expect(firstText(await peers[1].callTool('list_tasks', me))).toContain('"title":"Annas"');
  for (const user_id of ['owner', 'ben'])
    expect(firstText(await peers[0].callTool('list_tasks', { user_id }))).toBe('{"error":"User not found"}');
  const owner = await connect(one, 'modern', TOKEN);
  expect(firstText(await owner.callTool('list_tasks', me))).toBe('[]');

  const next = await connect(other, 'legacy', token(database, 'create', 'phone-2', '--user', 'anna'));
  expect(firstText(await next.callTool('list_tasks', me))).toContain('"title":"Annas"');
  token(database, 'revoke', 'phone');
  const start = performance.now();
  for (const reason of await Promise.all(peers.map(refused))) expect(reason).toMatch(/401|Unauthorized/);
  // One look per second. The machine may be busy.
  expect(performance.now() - start).toBeLessThan(20_000);
  expect(firstText(await next.callTool('list_tasks', me))).toContain('"title":"Annas"');
  expect(token(database, 'list')).toMatch(/^phone-2 +anna .*used [^\n]*$/);
});
