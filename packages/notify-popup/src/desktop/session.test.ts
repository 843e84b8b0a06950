import { once } from 'node:events';
import { readFileSync, rmdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { testSystem } from '../testing/samples.ts';
import { desktopSession, desktopSessions } from './session.ts';
import { currentSystem, systemOfClient } from './system.ts';

const system = testSystem({
  env: { PATH: '/bin', DISPLAY: ':9977', XDG_SESSION_ID: '1', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/desk' },
});
const client = { pid: 1, env: { DISPLAY: ':9988' } };

test('a popup looks for the display of the client, not for that of the process that serves it', async () => {
  const sessionOf = desktopSessions(system, false);
  expect(await sessionOf().find()).toMatchObject({
    tried: expect.arrayContaining([expect.stringContaining(':9977')]),
  });
  expect(await sessionOf(client).find()).toMatchObject({
    tried: expect.arrayContaining([expect.stringContaining(':9988')]),
  });
  expect(sessionOf(client)).toBe(sessionOf(client));
});

test('a client without display variables gets none of the process that serves it', () => {
  expect(systemOfClient(system, { pid: 1, env: { LANG: 'de' } }).env).toStrictEqual({
    PATH: '/bin',
    LANG: 'de',
  });
});

test.skipIf(process.platform !== 'linux')(
  'the ancestors of a client process are its parent and the parents above it',
  async () => {
    const [, name] = /^Name:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    const [first] = await systemOfClient(system, { pid: process.pid, env: {} }).ancestors();
    expect(first).toBe(name);
    expect(await systemOfClient(system, { pid: 2 ** 30, env: {} }).ancestors()).toStrictEqual([]);
  },
);

test('on Windows and macOS all processes of a login have the same screen', () => {
  const windows = testSystem({ platform: 'win32', env: { Path: 'C:' } });
  expect(systemOfClient(windows, client)).toBe(windows);
});

test.skipIf(process.platform !== 'linux')(
  'a search that fails keeps the display that was found',
  async () => {
    const runtimeFolder = temporaryFolder();
    const server = createServer().listen(join(runtimeFolder, 'wayland-0'));
    await once(server, 'listening');
    const env = { PATH: '/nowhere', WAYLAND_DISPLAY: 'wayland-0' };
    const session = desktopSession(testSystem({ runtimeFolder, env }), false);
    expect(await session.find()).toHaveProperty('display');
    server.close();
    await once(server, 'close');
    expect(await session.find()).toHaveProperty('tried');
    expect(session.system.env).toMatchObject({ XDG_RUNTIME_DIR: runtimeFolder });
  },
);

test.skipIf(process.platform === 'win32')('a process whose working directory was deleted has none', () => {
  const [folder, before] = [temporaryFolder(), process.cwd()];
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  rmdirSync(folder);
  expect(currentSystem().workingDirectory).toBe('');
});

test.skipIf(process.platform === 'win32')('an empty HOME is not a home folder', () => {
  vi.stubEnv('HOME', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(currentSystem().home).toBe(tmpdir());
});
