import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { toolDefiner } from '@deskside/core';
import { UserError } from '@deskside/core/errors';
import { folders } from '@deskside/core/program';
import { missingPackages, needs, openDesktop } from '@deskside/notify-popup/testing/desktop';
import { cleanEnvironment, isInstalled, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { rpcLine } from '../attach/message.ts';
import { attachClient, HELLO } from '../testing/attach-desk.ts';
import { runningDesk } from '../testing/running-desk.ts';
import { namedServer } from '@deskside/gateway/testing/servers';
import { KEY_HEADER, type PageClient } from '@deskside/page/protocol';

const WINDOW = `imports.gi.versions.Gtk = '3.0'; const { Gtk } = imports.gi; Gtk.init(null);
const window = new Gtk.Window({ title: ARGV[0], default_width: 300, default_height: 100 });
window.connect('map-event', () => print('mapped')); window.show_all(); Gtk.main();`;

const defineTool = toolDefiner<null>();
const described = {
  title: 'A tool',
  description: 'A tool of these tests.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({}),
};
const give = defineTool({
  ...described,
  name: 'give',
  output: z.object({ id: z.number() }),
  run: () => ({ id: 1 }),
});
const fail = defineTool({
  ...described,
  name: 'fail',
  run: () => {
    throw new UserError({ error: 'It failed', code: 'FAILED', hint: 'Try later.' });
  },
});

async function attach(session: string, pid: number, env: Readonly<Record<string, string>>) {
  const { socket, send, next } = await attachClient(folders().data, { ...HELLO, session, pid, env });
  let id = 0;
  const request = async (method: string, params: Readonly<Record<string, unknown>>) => {
    id += 1;
    send(rpcLine({ id, method, params }));
    return next() as Promise<{ result: { content: readonly { readonly text: string }[] } }>;
  };
  const clientInfo = { name: session, version: '1' };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  return {
    socket,
    texts: async (name: string) => {
      const { result } = await request('tools/call', { name });
      return result.content.map(({ text }) => text);
    },
  };
}

/** A desk with its page, and clients that are attached to it. */
async function openDeskWithPage() {
  const approvals = { level: 'ask' } as never;
  const { keyOf, post, eventsOf } = await runningDesk([
    { id: 'own', definition: namedServer('own') },
    { id: 'objects', definition: namedServer('objects', [give, fail]) },
    { id: 'other', definition: namedServer('other'), approvals },
  ]);
  const key = await keyOf();

  return {
    attach,
    tell: async (session: string, text: string) =>
      (await post('/tell', { session, text }, { [KEY_HEADER]: key })).status,
    show: async (session: string): Promise<unknown> =>
      (await post('/show', { session }, { [KEY_HEADER]: key })).json(),
    clients: async (): Promise<readonly PageClient[] | undefined> =>
      (await eventsOf(key, 'clients', 1))[0]?.clients,
  };
}

test('a note reaches the agent once, with its next own result, and no other agent', async () => {
  const desk = await openDeskWithPage();
  const first = await desk.attach('one', process.pid, {});
  const second = await desk.attach('two', process.pid, {});
  expect(await desk.tell('one', 'Use staging.')).toBe(204);
  expect(await desk.tell('one', 'And hurry.\nPlease.')).toBe(204);
  expect(await desk.tell('three', 'x')).toBe(409);
  expect(await desk.tell('one', ' ')).toBe(400);
  const hasNote = async (wanted: string) =>
    (await desk.clients())?.find(({ session }) => session === wanted)?.hasNote;
  expect(await hasNote('one')).toBe(true);
  expect(await second.texts('own_ping')).toStrictEqual(['own']);
  expect(await first.texts('other_ping')).toStrictEqual(['other']);
  const note = 'The person at the desk tells you, beside this result:\nUse staging.\n\nAnd hurry.\nPlease.';
  expect(await first.texts('own_ping')).toStrictEqual(['own', note]);
  expect(await first.texts('own_ping')).toStrictEqual(['own']);
  expect(await hasNote('one')).toBe(false);
  // It waits for a result of which every host shows a second text: not for an object, but for an error.
  expect(await desk.tell('one', 'Use staging.')).toBe(204);
  expect(await first.texts('objects_give')).toStrictEqual(['{"id":1}']);
  expect(await first.texts('objects_fail')).toStrictEqual([
    expect.stringContaining('It failed'),
    'The person at the desk tells you, beside this result:\nUse staging.',
  ]);
  expect(await first.texts('own_ping')).toStrictEqual(['own']);
  first.socket.destroy();
  await expect.poll(() => desk.tell('one', 'x')).toBe(409);
});

const hasTmux = isInstalled('tmux');
test.skipIf(!hasTmux)('a terminal in tmux is shown, and one that is not known is reported', async () => {
  const folder = temporaryFolder();
  const socket = join(folder, 'tmux');
  const env = { ...cleanEnvironment(folder), TERM: 'xterm' };
  const tmux = (...args: readonly string[]) =>
    spawnSync('tmux', ['-S', socket, ...args], { env, encoding: 'utf8' }).stdout.trim();
  onTestFinished(() => void tmux('kill-server'));
  const pane = tmux('-f', '/dev/null', 'new-session', '-d', '-P', '-F', '#{pane_id}', 'cat');
  tmux('split-window', 'cat');
  tmux('new-window', 'cat');
  const state = () => tmux('display-message', '-p', '-t', pane, '#{pane_active}#{window_active}');
  expect(state()).toBe('00');
  const desk = await openDeskWithPage();
  await desk.attach('in-tmux', process.pid, { DISPLAY: '', TMUX: `${socket},1,0`, TMUX_PANE: pane });
  await desk.attach('nowhere', process.pid, { DISPLAY: '' });
  expect(await desk.show('nowhere')).toStrictEqual({ isKnown: false });
  expect(state()).toBe('00');
  expect(await desk.show('in-tmux')).toStrictEqual({ isKnown: true });
  expect(state()).toBe('11');
});

const canShow = missingPackages.length === 0 && isInstalled('gjs');
test.skipIf(!canShow)(`the window of an agent is raised${needs}`, async () => {
  const home = temporaryFolder();
  await using desktop = await openDesktop(home);
  const env = { ...desktop.env, HOME: home, GDK_BACKEND: 'x11' };
  const open = async (title: string) => {
    const program = startProgram({ command: 'gjs', args: ['-c', WINDOW, title], env });
    await program.printed(/mapped/);
    await expect.poll(() => desktop.activeTitle()).toBe(title);
    return program;
  };
  await using agent = await open('agent');
  await using other = await open('other');
  expect(other.child.exitCode).toBeNull();
  const desk = await openDeskWithPage();
  const { DISPLAY = '', XAUTHORITY = '' } = desktop.env;
  await desk.attach('agent', agent.child.pid ?? 0, { DISPLAY, XAUTHORITY });
  expect(await desk.show('agent')).toStrictEqual({ isKnown: true });
  await expect.poll(() => desktop.activeTitle()).toBe('agent');
  agent.child.kill();
  await once(agent.child, 'exit');
  expect(await desk.show('agent')).toStrictEqual({ isKnown: false });
});
