import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { SystemInfo } from './system.ts';
import { testSystem } from '../testing/samples.ts';
import { findDisplay } from './display.ts';

async function hasDisplay(system: SystemInfo): Promise<boolean> {
  return 'display' in (await findDisplay(system));
}

test.each([
  ['no variable', {}],
  ['an X display that no longer exists', { DISPLAY: ':9977' }],
  ['an X display of a machine that does not listen', { DISPLAY: '127.0.0.1:9977' }],
  ['a DISPLAY that is not a display name', { DISPLAY: 'nonsense' }],
  ['a Wayland display that does not exist', { WAYLAND_DISPLAY: 'wayland-9', XDG_RUNTIME_DIR: '/nowhere' }],
])('%s means that no display exists', async (_, env) => {
  expect(await hasDisplay(testSystem({ env }))).toBe(false);
});

test('an X server that never answers does not count as a display', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const DISPLAY = `127.0.0.1:${port - 6000}`;
  expect(await hasDisplay(testSystem({ env: { DISPLAY } }))).toBe(false);
});

test('a Wayland compositor that listens is a display', async () => {
  const folder = temporaryFolder();
  const compositor = createServer((socket) => socket.destroy()).listen(join(folder, 'wayland-0'));
  onTestFinished(() => void compositor.close());
  await once(compositor, 'listening');
  const env = { WAYLAND_DISPLAY: 'wayland-0', XDG_RUNTIME_DIR: folder };
  expect(await hasDisplay(testSystem({ env }))).toBe(true);
});

test('a Windows service has no display, a console session has one', async () => {
  expect(await hasDisplay(testSystem({ platform: 'win32', env: { SESSIONNAME: 'Services' } }))).toBe(false);
  expect(await hasDisplay(testSystem({ platform: 'win32', env: { SESSIONNAME: 'Console' } }))).toBe(true);
});
