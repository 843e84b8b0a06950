import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { machineLike } from '../testing/machine.ts';
import { hasDisplay } from './display.ts';

test.each([
  ['nothing', {}],
  ['an X display that is not there any more', { DISPLAY: ':9977' }],
  ['an X display of a machine that does not listen', { DISPLAY: '127.0.0.1:9977' }],
  ['no display at all', { DISPLAY: 'nonsense' }],
  ['a Wayland display that is not there', { WAYLAND_DISPLAY: 'wayland-9', XDG_RUNTIME_DIR: '/nowhere' }],
])('%s is no display', async (_, env) => {
  expect(await hasDisplay(machineLike({ env }))).toBe(false);
});

test('an X server that never answers is no display', async () => {
  const silent = createServer(() => undefined).listen(6000 + 977, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  expect(await hasDisplay(machineLike({ env: { DISPLAY: '127.0.0.1:977' } }))).toBe(false);
});

test('a Wayland compositor that listens is a display', async () => {
  const folder = temporaryFolder();
  const compositor = createServer((socket) => socket.destroy()).listen(join(folder, 'wayland-0'));
  onTestFinished(() => void compositor.close());
  await once(compositor, 'listening');
  expect(
    await hasDisplay(machineLike({ env: { WAYLAND_DISPLAY: 'wayland-0', XDG_RUNTIME_DIR: folder } })),
  ).toBe(true);
});

test('a service on Windows has no desktop', async () => {
  expect(await hasDisplay(machineLike({ platform: 'win32', env: { SESSIONNAME: 'Services' } }))).toBe(false);
  expect(await hasDisplay(machineLike({ platform: 'win32', env: { SESSIONNAME: 'Console' } }))).toBe(true);
});
