import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeSession, logindAt } from '@deskside/desktop/testing/logind';
import { startX11Server, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { testSystem } from '../testing/samples.ts';
import { findPersonsSession } from './person.ts';

const uid = process.getuid?.() ?? -1;

/** The variables of a display that answers. */
async function display(of: string) {
  const server = await startX11Server();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { DISPLAY: server.display, XAUTHORITY: `/of-${of}` };
}

/** What a machine has: processes by their ids, and sessions of logind. Without sessions no logind runs. */
async function machine(
  processes: Readonly<Record<number, { comm: string; start: number; env: Readonly<Record<string, string>> }>>,
  sessions?: readonly FakeSession[],
) {
  const folder = temporaryFolder();
  const kernel = join(folder, 'proc');
  for (const [pid, { comm, start, env }] of Object.entries(processes)) {
    const place = join(kernel, pid);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'comm'), `${comm}\n`);
    writeFileSync(join(place, 'stat'), `${pid} (${comm}) S ${'0 '.repeat(18)}${start} 0\n`);
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}\0`);
    writeFileSync(join(place, 'environ'), variables.join(''));
  }
  mkdirSync(kernel, { recursive: true });
  symlinkSync('1', join(kernel, 'self'));
  const systemBus = join(folder, 'bus');
  const logind = sessions && (await logindAt(systemBus, sessions));
  // The variables of a program name another display, as an agent may choose it.
  const env = { DISPLAY: ':9999', WAYLAND_DISPLAY: '', XAUTHORITY: '/of-an-agent', PATH: '/of-an-agent' };
  // Without the displays of other tests.
  const system = testSystem({ uid, systemBus, env, x11Folder: temporaryFolder() });
  return { find: () => findPersonsSession(system, kernel), logind };
}

test('the display of the session that is active now is found, whatever the variables of the program say', async () => {
  const [first, second] = [await display('first'), await display('second')];
  const { find, logind } = await machine(
    {
      100: { comm: 'openbox', start: 100, env: { ...first, XDG_SESSION_ID: '1' } },
      200: { comm: 'gnome-shell', start: 200, env: { ...second, XDG_SESSION_ID: '2' } },
      // In the session of the person, and not its desktop.
      300: { comm: 'openbox', start: 50, env: { ...(await display('agent')), XDG_SESSION_ID: '2' } },
    },
    [],
  );
  for (const [index, [pid, env]] of (
    [
      [100, first],
      [200, second],
    ] as const
  ).entries()) {
    // The person goes from one session to the other.
    const sessions = [first, second].map(({ DISPLAY }) => ({
      Display: DISPLAY,
      Active: DISPLAY === env.DISPLAY,
    }));
    if (logind !== undefined) logind.sessions = sessions;
    const desktop = { pid, env: { ...env, XDG_SESSION_ID: `${index + 1}` } };
    expect(await find()).toStrictEqual({ display: env.DISPLAY, desktop });
  }
});

test('without logind the display is that of the desktop that started first', async () => {
  const [persons, agents] = [await display('person'), await display('agent')];
  const { find } = await machine({
    300: { comm: 'openbox', start: 300, env: agents },
    100: { comm: 'xfwm4', start: 100, env: persons },
    50: { comm: 'node', start: 50, env: agents },
  });
  expect(await find()).toStrictEqual({ display: persons.DISPLAY, desktop: { pid: 100, env: persons } });
});

test('a session whose display does not answer is there all the same: no option decides for the person', async () => {
  const known = await machine({}, [{ Display: ':7777' }]);
  expect(await known.find()).toStrictEqual({ display: ':7777', desktop: undefined });
  const unnamed = await machine({}, [{ Id: '4', Type: 'wayland', Active: false }]);
  expect(await unnamed.find()).toStrictEqual({ display: 'session 4', desktop: undefined });
  const processes = { 100: { comm: 'sway', start: 1, env: { WAYLAND_DISPLAY: 'wayland-7' } } };
  expect(await (await machine(processes)).find()).toStrictEqual({ display: 'wayland-7', desktop: undefined });
});

test.each<readonly [string, readonly FakeSession[] | undefined]>([
  ['no logind', undefined],
  ['logind and no session', []],
  ['a login at a text console', [{ Type: 'tty' }]],
  ['a session of another user', [{ uid: uid + 1 }]],
])('a machine with %s has no session of this user', async (_, sessions) => {
  expect(await (await machine({}, sessions)).find()).toBeUndefined();
});
