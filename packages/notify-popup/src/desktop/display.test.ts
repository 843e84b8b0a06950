import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type FakeSession, logindAt } from '@deskside/desktop/testing/logind';
import { startX11Server, temporaryFolder, type X11ServerOptions } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { testSystem } from '../testing/samples.ts';
import { authorityEntry } from '../testing/x11-authority.ts';
import { findDisplay } from './display.ts';
import type { SystemInfo } from './system.ts';

const uid = process.getuid?.() ?? -1;

/** A machine with its own folders. logind says this about the session `2`; without it no logind runs. */
async function machine(changes: Partial<SystemInfo> = {}, session?: FakeSession) {
  const home = temporaryFolder();
  const [x11Folder, runtimeFolder] = [join(home, 'x11'), join(home, 'run')];
  for (const folder of [x11Folder, runtimeFolder]) mkdirSync(folder, { mode: 0o700 });
  const systemBus = join(home, 'system-bus');
  if (session !== undefined) await logindAt(systemBus, [session]);
  return testSystem({
    env: { HOME: home, PATH: '/bin' },
    home,
    uid,
    x11Folder,
    runtimeFolder,
    systemBus,
    ...changes,
  });
}

async function startDisplay(
  system: SystemInfo,
  number: number,
  options: X11ServerOptions = {},
): Promise<void> {
  const socket = join(system.x11Folder, `X${number}`);
  const server = await startX11Server({ socket, hasWindowManager: true, ...options });
  onTestFinished(() => server[Symbol.asyncDispose]());
}

/** A file with the cookie of a display, behind those of another machine and of another display. */
const cookieOf = (displayNumber: string, cookie: Buffer) =>
  Buffer.concat([
    authorityEntry(256, 'another-host', displayNumber, Buffer.from('host is different')),
    authorityEntry(256, hostname(), '77', Buffer.from('display is different')),
    authorityEntry(256, hostname(), displayNumber, cookie),
  ]);

const AT_SCREEN = { Id: '2', Display: ':1' };

test('logind names the display of the session at the screen', async () => {
  const system = await machine({}, AT_SCREEN);
  await startDisplay(system, 0);
  await startDisplay(system, 1, { hasWindowManager: false });
  expect(await findDisplay(system)).toStrictEqual({
    display: ':1',
    why: 'logind names session 2, which is active, local and not locked',
    variables: { XDG_RUNTIME_DIR: system.runtimeFolder, XDG_SESSION_ID: '2', DISPLAY: ':1' },
  });
});

test.each([
  ['is not active', { Active: false }],
  ['is remote', { Remote: true }],
  ['is locked', { LockedHint: true }],
  ['is a terminal', { Type: 'tty' }],
])('a display is not used if the session %s', async (_, changes) => {
  const system = await machine({}, { ...AT_SCREEN, ...changes });
  await startDisplay(system, 1);
  expect(await findDisplay(system)).toStrictEqual({
    tried: [
      'DISPLAY and WAYLAND_DISPLAY are not set.',
      'logind knows no session of this user that is active, local and not locked.',
    ],
  });
});

test('on a busy machine a display has time to answer, whether DISPLAY names it or not', async () => {
  const system = await machine();
  await startDisplay(system, 6, { acceptsAfterMs: 1000 });
  expect(await findDisplay(system)).toMatchObject({ display: ':6' });
  const server = await startX11Server({ acceptsAfterMs: 1000 });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const named = await machine({ env: { ...system.env, DISPLAY: server.display } });
  expect(await findDisplay(named)).toMatchObject({ display: server.display, why: 'DISPLAY names it' });
});

test('without logind a display counts only if a window manager answers on it', async () => {
  const system = await machine();
  for (const number of [3, 4]) await startDisplay(system, number, { hasWindowManager: false });
  expect(await findDisplay(system)).toMatchObject({
    tried: [expect.anything(), expect.stringMatching(/^These displays do not answer.*: :3, :4\.$/)],
  });
  await startDisplay(system, 5);
  expect(await findDisplay(system)).toMatchObject({ display: ':5', why: 'a window manager answers on it' });
});

test('a cookie in the folder of the session opens its display', async () => {
  const system = await machine({}, { ...AT_SCREEN, Type: 'wayland', Display: '' });
  const cookie = Buffer.from('0123456789abcdef');
  await startDisplay(system, 0, { cookie });
  const file = join(system.runtimeFolder, '.mutter-Xwaylandauth.ABC123');
  writeFileSync(file, cookieOf('0', cookie));
  expect(await findDisplay(system)).toMatchObject({
    display: ':0',
    variables: { DISPLAY: ':0', XAUTHORITY: file },
  });
});

test('a compositor in the folder of the session is a display, and its message bus is handed on', async () => {
  const system = await machine({}, { ...AT_SCREEN, Type: 'wayland', Display: '' });
  for (const name of ['wayland-0', 'bus']) {
    const server = createServer((socket) => socket.destroy()).listen(join(system.runtimeFolder, name));
    onTestFinished(() => void server.close());
    await once(server, 'listening');
  }
  expect(await findDisplay(system)).toMatchObject({
    display: 'wayland-0',
    variables: {
      XDG_RUNTIME_DIR: system.runtimeFolder,
      WAYLAND_DISPLAY: 'wayland-0',
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${system.runtimeFolder}/bus`,
    },
  });
});

test.each(['sshd', 'sshd-session'])(
  'in a login over SSH (%s) only a chosen presenter finds a display',
  async (name) => {
    const system = await machine({ ancestors: async () => ['node', 'bash', name, 'systemd'] }, AT_SCREEN);
    await startDisplay(system, 1);
    expect(await findDisplay(system)).toMatchObject({
      tried: [expect.anything(), expect.stringContaining('SSH')],
    });
    expect(await findDisplay(system, true)).toMatchObject({ display: ':1' });
  },
);

test.each([
  { DISPLAY: ':77' },
  { WAYLAND_DISPLAY: 'wayland-7' },
  { DISPLAY: 'nonsense', WAYLAND_DISPLAY: '' },
])('a display that is named but does not answer is searched as if it were not named: %o', async (named) => {
  const system = await machine({}, AT_SCREEN);
  await startDisplay(system, 1);
  expect(await findDisplay({ ...system, env: { ...system.env, ...named } })).toStrictEqual({
    display: ':1',
    why: 'logind names session 2, which is active, local and not locked',
    // The dead names must not reach the browser.
    variables: {
      XDG_RUNTIME_DIR: system.runtimeFolder,
      XDG_SESSION_ID: '2',
      DISPLAY: ':1',
      WAYLAND_DISPLAY: undefined,
    },
  });
});

test('a display is found with the cookie in the home folder if XAUTHORITY names that of a dead display', async () => {
  const system = await machine({}, AT_SCREEN);
  const cookie = Buffer.from('0123456789abcdef');
  await startDisplay(system, 1, { cookie });
  const file = join(system.home, '.Xauthority');
  writeFileSync(file, cookieOf('1', cookie));
  const env = { ...system.env, DISPLAY: ':77', XAUTHORITY: join(system.home, 'gone') };
  expect(await findDisplay({ ...system, env })).toMatchObject({
    display: ':1',
    variables: { DISPLAY: ':1', XAUTHORITY: file },
  });
});

test.each([{ DISPLAY: '' }, { DISPLAY: '', WAYLAND_DISPLAY: 'wayland-7' }, { WAYLAND_DISPLAY: '' }])(
  'an empty variable of a display means that there is none: %o',
  async (named) => {
    const system = await machine({}, AT_SCREEN);
    await startDisplay(system, 1);
    const search = await findDisplay({ ...system, env: { ...system.env, ...named } });
    expect(search).toHaveProperty('tried', expect.arrayContaining([expect.stringContaining('is empty')]));
  },
);

/** With the variables of the environment alone. */
async function isFound(changes: Partial<SystemInfo>): Promise<boolean> {
  return 'display' in (await findDisplay(testSystem(changes)));
}

test('an X server that never answers does not count as a display', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const DISPLAY = `127.0.0.1:${port - 6000}`;
  expect(await isFound({ env: { DISPLAY } })).toBe(false);
});

test('a Windows service has no display, a console session has one', async () => {
  expect(await isFound({ platform: 'win32', env: { SESSIONNAME: 'Services' } })).toBe(false);
  expect(await isFound({ platform: 'win32', env: { SESSIONNAME: 'Console' } })).toBe(true);
});
