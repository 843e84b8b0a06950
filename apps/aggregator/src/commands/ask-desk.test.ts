import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { folders } from '@deskside/core/program';
import { silentLog } from '@deskside/core';
import { hold, openFolder, openUserJournal, sendLine } from '@deskside/desktop';
import { foreignServer } from '@deskside/gateway/testing/foreign-server';
import { namedServer } from '@deskside/gateway/testing/servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deskPlace } from '../attach/protocol.ts';
import { runCommand, SELF } from '../testing/commands.ts';
import { runningDesk } from '../testing/running-desk.ts';
import { userHome } from '../testing/user-home.ts';
import { add } from './add.ts';
import { doctor } from './doctor.ts';
import { list } from './list.ts';
import { open, stop } from './ask-desk.ts';
import { status } from './status.ts';

const withMount = () => runningDesk([{ id: 'good', definition: namedServer('good') }]);

test('without a login session at a screen nothing opens, and no link is printed, also to a terminal', async () => {
  await withMount();
  expect(await runCommand(open(SELF), { typed: 'y\n' })).toStrictEqual({
    code: 1,
    stdout: '',
    stderr: 'The desk could not open your browser. Log in at a screen of this machine, then try again.\n',
  });
});

test('the desk opens the page where the person is logged in, whatever display the command has, and prints no link', async () => {
  const desk = await withMount();
  const screen = join(desk.home, 'wayland-1');
  const server = createServer().listen(screen);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const opened = join(desk.home, 'opened');
  // The program that opens addresses on Linux.
  const script = `#!/bin/sh\nprintf '%s %s' "$WAYLAND_DISPLAY" "$1" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`;
  writeFileSync(join(desk.home, 'xdg-open'), script, { mode: 0o755 });
  vi.stubEnv('PATH', `${desk.home}${delimiter}${process.env['PATH']}`);
  const desktop = { pid: process.pid, env: { WAYLAND_DISPLAY: screen } };
  const session = { display: screen, desktop };
  const ran = await runCommand(open(SELF), { env: { WAYLAND_DISPLAY: 'of-an-agent' }, session });
  expect(ran).toStrictEqual({ code: 0, stdout: 'The page is open in your browser.\n', stderr: '' });
  await expect.poll(() => existsSync(opened)).toBe(true);
  const [display, link = ''] = readFileSync(opened, 'utf8').split(' ');
  expect(display).toBe(screen);
  expect(await desk.keyOf(link)).not.toBe('');
});

test('open says how to see why a desk ends while it starts', async () => {
  userHome();
  const ends = open({ ...SELF, command: [process.execPath, '--version'] });
  expect(await runCommand(ends)).toStrictEqual({
    code: 1,
    stdout: '',
    stderr: 'The desk ended while it started. Run "deskside desk" to see why.\n',
  });
});

/** A desk that answers when the test says so. */
async function busyDesk() {
  userHome();
  const asked = Promise.withResolvers<Socket>();
  const place = deskPlace(folders().data, SELF);
  openFolder(place.folder);
  const holding = await hold(place, 1, { accept: (_, socket) => asked.resolve(socket) });
  onTestFinished(() => holding?.stop());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const limit = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  onTestFinished(() => timeout.mockRestore());
  return { asked: asked.promise, limit };
}

const WAITING = `Still waiting for the desk (process ${process.pid}).\n`;

test('a command says after three seconds that it still waits, and takes the answer', async () => {
  const { asked } = await busyDesk();
  const ran = runCommand(open(SELF));
  const socket = await asked;
  await vi.advanceTimersByTimeAsync(3000);
  // The database of a busy machine waits with timers.
  vi.useRealTimers();
  sendLine(socket, { kind: 'opened' });
  socket.end();
  expect(await ran).toMatchObject({ code: 0, stderr: WAITING });
});

test('a desk that does not answer for 30 s is one to end, and only after a note', async () => {
  const { asked, limit } = await busyDesk();
  const ran = runCommand(status(SELF));
  await asked;
  await vi.advanceTimersByTimeAsync(3000);
  limit.abort();
  const advice = `The desk (process ${process.pid}) does not answer in 30 s. End that process.\n`;
  expect(await ran).toMatchObject({ code: 1, stderr: `${WAITING}${advice}` });
});

test('a record that no process can have written is named', async () => {
  userHome();
  const place = deskPlace(folders().data, SELF);
  openFolder(place.folder);
  const file = join(place.folder, '999999999999999.json');
  writeFileSync(file, '{}', { mode: 0o600 });
  const stderr = `${file} has a number that no process has reached. Delete it.\n`;
  expect(await runCommand(status(SELF))).toStrictEqual({ code: 1, stdout: '', stderr });
});

test('the process that stop ends learns why', async () => {
  const info = vi.fn<(message: string) => void>();
  await runningDesk([], { info });
  expect(await runCommand(stop(SELF))).toMatchObject({ code: 0 });
  expect(info.mock.calls).toContainEqual(['the desk ends: "deskside stop" was run']);
});

const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } });

test('list and status count what the running server lists, and list names the accepted ones', async () => {
  // The server that runs in the desk lists one tool.
  await runningDesk([{ id: 'foreign', definition: namedServer('foreign') }]);
  const { url } = await foreignServer([tool('read'), tool('write')]);
  expect(await runCommand(add, { operands: ['foreign', url], flags: { yes: true } })).toMatchObject({
    code: 0,
  });
  const note = '2 are accepted, and the running server lists 1 of them.';
  expect((await runCommand(list(SELF))).stdout).toMatch(
    new RegExp(`^foreign .* ready +1 tool .*\\n  ${note}$`, 'm'),
  );
  expect((await runCommand(status(SELF))).stdout).toMatch(/^ *foreign .* ready +1 tool /m);
});

test('list says of a mount without data here what the running desk has, for example demo data', async () => {
  await runningDesk([{ id: 'manictime', definition: namedServer('manictime') }]);
  expect((await runCommand(list(SELF))).stdout).toMatch(/^manictime +own +ready +1 tool .*\npopup /m);
});

test('doctor says the same, and why a server that starts fails in the desk', async () => {
  const reason = 'It answers HTTP 400.';
  await runningDesk([
    { id: 'manictime', definition: namedServer('manictime') },
    { id: 'foreign', definition: namedServer('foreign'), status: () => ({ state: 'degraded', reason }) },
  ]);
  const { url } = await foreignServer([tool('read')]);
  await runCommand(add, { operands: ['foreign', url], flags: { yes: true } });
  const flags = { port: '0', 'no-mounts': 'popup,log,toast,todo' };
  const { stdout } = await runCommand(doctor(SELF), { flags });
  expect(stdout).toMatch(/^Mount manictime +ready, 1 tool$/m);
  expect(stdout).not.toContain('No ManicTime data was found');
  expect(stdout).toMatch(/Server foreign fails in the running desk\.\n +It answers HTTP 400\.\n/);
  expect(stdout).toMatch(/^Server foreign +starts, /m);
});

test('list says what the running desk does not have', async () => {
  await runningDesk([{ id: 'log', definition: namedServer('log') }]);
  const { stdout } = await runCommand(list(SELF), { flags: { mounts: 'log,todo' } });
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(
    'The running desk does not have todo. Run "deskside stop": the next client starts a new desk.',
  );
});

test('status lists what is open, and the clients over HTTP by their calls, as wide as the terminal', async () => {
  await runningDesk();
  await using journal = openUserJournal(silentLog);
  const start = { user: 'owner', mount: 'todo', tool: 'add_task' } as const;
  journal.begin({ ...start, kind: 'call', caller: 'laptop', transport: 'http' }).end('ok');
  journal.begin({ ...start, kind: 'question', caller: 'claude · shop' });
  await journal.records();
  const { stdout } = await runCommand(status(SELF));
  expect(stdout).toMatch(/^ {2}laptop, HTTP, last call \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/m);
  expect(stdout).toMatch(/^Open now:\n {2}\d\d:\d\d:\d\d {2}claude · shop +! question todo add_task +open$/m);
  const lines = stripVTControlCharacters((await runCommand(status(SELF), { columns: 40 })).stdout).split(
    '\n',
  );
  expect(lines.filter((line) => line.length > 40)).toStrictEqual([]);
});
