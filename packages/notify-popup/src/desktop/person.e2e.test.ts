import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeSession, logindAt } from '@deskside/desktop/testing/logind';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { missingPackages, needs, openDesktop } from '../testing/desktop.ts';
import { testSystem } from '../testing/samples.ts';
import { findPersonsSession } from './person.ts';

const uid = process.getuid?.() ?? -1;

async function realDisplay() {
  const desktop = await openDesktop(temporaryFolder());
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const { DISPLAY, XAUTHORITY } = desktop.env;
  return { DISPLAY: DISPLAY ?? '', XAUTHORITY: XAUTHORITY ?? '' };
}

const REAL_X11_FOLDER = '/tmp/.X11-unix';

/** What a machine has: processes by their ids, and sessions of logind. Without sessions no logind runs. */
async function machine(
  processes: Readonly<Record<number, { comm: string; start: number; env: Readonly<Record<string, string>> }>>,
  sessions?: readonly FakeSession[],
  /** By default one without the displays of other tests. */
  x11Folder: string = temporaryFolder(),
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
  const system = testSystem({ uid, systemBus, env, x11Folder });
  return { find: () => findPersonsSession(system, kernel), logind };
}

test.skipIf(missingPackages.length > 0)(
  `the display of the session that is active now is found, whatever the program's own variables say${needs}`,
  async () => {
    const [first, second, agents] = [await realDisplay(), await realDisplay(), await realDisplay()];
    const { find, logind } = await machine(
      {
        100: { comm: 'openbox', start: 100, env: { ...first, XDG_SESSION_ID: '1' } },
        200: { comm: 'gnome-shell', start: 200, env: { ...second, XDG_SESSION_ID: '2' } },
        // In the session of the person, and not its desktop.
        300: { comm: 'openbox', start: 50, env: { ...agents, XDG_SESSION_ID: '2' } },
      },
      [],
      REAL_X11_FOLDER,
    );
    const sessions = (active: 1 | 2) => [
      { Display: first.DISPLAY, Active: active === 1 },
      { Display: second.DISPLAY, Active: active === 2 },
    ];
    if (logind !== undefined) logind.sessions = sessions(1);
    const desktop = (pid: number, env: typeof first, XDG_SESSION_ID: string) => ({
      display: env.DISPLAY,
      desktop: { pid, env: { ...env, XDG_SESSION_ID } },
    });
    expect(await find()).toStrictEqual(desktop(100, first, '1'));
    // The person goes to the other session.
    if (logind !== undefined) logind.sessions = sessions(2);
    expect(await find()).toStrictEqual(desktop(200, second, '2'));
  },
);

test.skipIf(missingPackages.length > 0)(
  `without logind the display is that of the desktop that started first${needs}`,
  async () => {
    const [persons, agents] = [await realDisplay(), await realDisplay()];
    const { find } = await machine(
      {
        300: { comm: 'openbox', start: 300, env: agents },
        100: { comm: 'xfwm4', start: 100, env: persons },
        50: { comm: 'node', start: 50, env: agents },
      },
      undefined,
      REAL_X11_FOLDER,
    );
    expect(await find()).toStrictEqual({ display: persons.DISPLAY, desktop: { pid: 100, env: persons } });
  },
);

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
