import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { runCommand, SELF } from '../testing/commands.ts';
import { runningDesk } from '../testing/running-desk.ts';
import { namedServer } from '@deskside/gateway/testing/servers';
import { open } from './open.ts';

afterEach(() => void vi.unstubAllEnvs());

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
