import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Command,
  connectHttp,
  connectStdio,
  firstText,
  isRunning,
  type Peer,
  type Program,
  signalAll,
  startProgram,
} from '@deskside/testkit';
import { expect, test } from 'vitest';
import { log } from '../commands/log.ts';
import { ask, connectAsking } from '../testing/asking-agent.ts';
import { runCommand } from '../testing/commands.ts';
import { type DeskHome, deskHome } from '../testing/desk-home.ts';
import { userHome } from '../testing/user-home.ts';

const ERAS = ['legacy', 'modern'] as const;
const me = { user_id: 'me' };

const add = (peer: Peer, title: string) => peer.callTool('todo_add_task', { ...me, title });

/** The titles of all tasks, newest first. */
async function titles(peer: Peer): Promise<string[]> {
  const { content } = await peer.callTool('todo_list_tasks', me);
  const [block] = content;
  return block?.type === 'text' ? JSON.parse(block.text).map(({ title }: { title: string }) => title) : [];
}

/** Kills a process, and waits until nothing of it is left. */
async function kill(pid: number): Promise<void> {
  signalAll('SIGKILL', [pid]);
  await expect.poll(() => isRunning(pid)).toBe(false);
}

test('ten clients that start at once share one desk, each with its own session; killed clients leave nothing', async () => {
  const desk = deskHome();
  const commands = Array.from({ length: 10 }, (_, index) => desk.client(['--as', `client ${index}`]));
  const peers = await Promise.all(
    commands.map((command, index) => connectStdio(command, { era: ERAS[index % 2] ?? 'modern' })),
  );
  await Promise.all(peers.map((peer, index) => add(peer, `task ${index}`)));
  const { pid, sessions } = await desk.status();
  expect(new Set(sessions.map(({ session }) => session)).size).toBe(10);
  expect(new Set(sessions.map(({ name }) => name))).toStrictEqual(
    new Set(commands.map((_, index) => `client ${index}`)),
  );
  const [first] = peers;
  if (first !== undefined) expect((await titles(first)).toSorted()).toHaveLength(10);
  const others = desk.client([], { TODO_DATABASE_URL: join(desk.home, 'own.sqlite') });
  expect(await reasonOf(others)).toContain('standalone: these variables differ from those of the desk:');

  signalAll(
    'SIGKILL',
    sessions.map((session) => session.pid),
  );
  await expect.poll(async () => (await desk.status()).sessions).toStrictEqual([]);
  expect(desk.pid()).toBe(pid);
  expect(await desk.run('stop')).toBe(`Stopped the desk (process ${pid}).\n`);
  expect(await desk.run('status')).toContain('No desk is running.');
  for (const peer of peers) await peer[Symbol.asyncDispose]();
});

test('after the desk is killed its clients work on with a new desk, and an open call is answered UNAVAILABLE, is not repeated, and its question is withdrawn', async () => {
  const desk = deskHome();
  await using client = await connectAsking(desk.client());
  const { peer, asked, withdrawn } = client;
  await using modern = await connectStdio(desk.client(), { era: 'modern' });
  await add(modern, 'before');
  const call = ask(peer);
  await asked;
  const former = desk.pid();
  await kill(former);
  const result = await call;
  expect(result.isError).toBe(true);
  expect(JSON.parse(firstText(result))).toMatchObject({ code: 'UNAVAILABLE' });
  await withdrawn;
  userHome(desk.home);
  const { stdout } = await runCommand(log, { flags: { json: true, kind: 'question' } });
  expect(JSON.parse(stdout)).toMatchObject({ project: 'shop', mount: 'popup', outcome: 'interrupted' });
  // The next desk got no call: it would have asked.
  expect((await peer.listTools()).length).toBeGreaterThan(5);
  await add(peer, 'later');
  await add(modern, 'after');
  for (const each of [peer, modern]) expect(await titles(each)).toStrictEqual(['after', 'later', 'before']);
  expect(desk.pid()).not.toBe(former);
  const { sessions } = await desk.status();
  expect(sessions).toMatchObject([{ openCalls: 0, label: 'testkit · shop' }, { openCalls: 0 }]);
});

function startHttp(desk: DeskHome, token: string, port = '0'): Program {
  return startProgram(desk.command(['http', '--port', port], { DESKSIDE_TOKEN: token }));
}

test('deskside http serves attached clients too, and a restart loses no session', async () => {
  const desk = deskHome();
  const token = 'a-long-enough-token';
  // A client starts a desk; it ends for the desk with HTTP.
  await using early = await connectStdio(desk.client(['--as', 'early']), { era: 'legacy' });
  await add(early, 'early');
  await using program = startHttp(desk, token);
  const [, url = ''] = await program.printed(/serves MCP at (\S+)/);
  await program.printed(/Clients send/);
  await expect.poll(() => desk.pid()).toBe(program.child.pid);
  await using late = await connectStdio(desk.client(['--as', 'late']), { era: 'modern' });
  await using overHttp = await connectHttp(url, { era: 'legacy', token });
  await using modernHttp = await connectHttp(url, { era: 'modern', token });
  const all = [early, late, overHttp, modernHttp];
  for (const [index, peer] of all.entries()) await add(peer, `one ${index}`);
  const status = await desk.status();
  expect(status.url).toBe(url);
  expect(new Set(status.sessions.map(({ name }) => name))).toStrictEqual(new Set(['early', 'late']));

  program.child.kill('SIGTERM');
  expect(await program.exited).toBe(0);
  const port = new URL(url).port;
  await using again = startHttp(desk, token, port);
  await again.printed(/Clients send/);
  for (const [index, peer] of all.entries()) await add(peer, `two ${index}`);
  expect(desk.pid()).toBe(again.child.pid);
  expect(await titles(modernHttp)).toHaveLength(9);
});

const INITIALIZE = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'shell', version: '1' } },
})}\n`;

/** Why a process serves its client alone. */
async function reasonOf(command: Command): Promise<string> {
  await using program = startProgram(command);
  program.child.stdin.end(INITIALIZE);
  expect(await program.exited).toBe(0);
  expect(program.stdout()).toContain('"serverInfo":{"name":"deskside"');
  return program.stderr();
}

/** Has no passwd entry. */
const OTHER_UID = 45_678;

function asOtherUser({ command, args, env }: Command): Command {
  const user = [`--reuid=${OTHER_UID}`, `--regid=${OTHER_UID}`, '--clear-groups'];
  return { command: 'setpriv', args: [...user, command, ...args], ...(env === undefined ? {} : { env }) };
}

test.skipIf(process.getuid?.() !== 0)('a user id without a passwd entry has a desk', async () => {
  const desk = deskHome();
  // Not without a home folder.
  const homeless = { ...asOtherUser(desk.client()), env: { PATH: process.env['PATH'] ?? '' } };
  expect(await reasonOf(homeless)).toContain('standalone: This user has no home folder');
  chownSync(desk.home, OTHER_UID, OTHER_UID);
  await using peer = await connectStdio(asOtherUser(desk.client()), { era: 'modern' });
  await add(peer, 'mine');
  await using status = startProgram(asOtherUser(desk.command(['status', '--json'])));
  expect(await status.exited).toBe(0);
  expect(JSON.parse(status.stdout()).sessions).toHaveLength(1);
  await using stop = startProgram(asOtherUser(desk.command(['stop'])));
  expect(await stop.exited).toBe(0);
});

test('what another module prints in the process of an attached client goes to stderr, not to the client', async () => {
  const desk = deskHome();
  const preload = join(desk.home, 'preload.mjs');
  writeFileSync(
    preload,
    `setInterval(() => { console.log('stray'); process.stdout.write('stray'); }, 1).unref();`,
  );
  await using program = startProgram(desk.client([], { NODE_OPTIONS: `--import=${preload}` }));
  const capabilities = {};
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'raw', version: '1' } };
  const send = (message: object) =>
    program.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({ id: 1, method: 'initialize', params });
  await expect.poll(() => program.stderr()).toContain('stray');
  send({ id: 2, method: 'tools/list' });
  await expect.poll(() => program.stdout()).toContain('"id":2');
  expect(program.stdout()).not.toContain('stray');
});
