import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixedClock } from '@deskside/core/testing';
import { startX11Server, temporaryFolder, type X11ServerOptions } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { memoryJournal } from '../journal/records.ts';
import { idleMs, watchReturn } from './idle.ts';
import { Quiet } from './quiet.ts';

const desktop = { platform: 'linux', home: '/nowhere', env: { PATH: '/nowhere' } } as const;

async function idleOn(options: X11ServerOptions): Promise<number | undefined> {
  const server = await startX11Server(options);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return idleMs({ ...desktop, env: { ...desktop.env, DISPLAY: server.display } });
}

test('an X server with the screen saver extension tells how long no input came', async () => {
  expect(await idleOn({ idleMs: 4711 })).toBe(4711);
  expect(await idleOn({})).toBeUndefined();
});

test('an X server on Wayland gets the input of its own windows only, and is not asked', async () => {
  expect(await idleOn({ idleMs: 4711, isXwayland: true })).toBeUndefined();
});

test.each(['linux', 'win32', 'darwin', 'freebsd'] as const)(
  'on %s without display and programs the idle time is not known',
  async (platform) => {
    expect(await idleMs({ ...desktop, platform })).toBeUndefined();
  },
);

test.skipIf(process.platform !== 'linux')(
  'GNOME is asked on the bus that is found, if the environment names none',
  async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'bus'), '');
    const script = `[ "$DBUS_SESSION_BUS_ADDRESS" = "unix:path=${folder}/bus" ] && echo "(uint64 1234,)"`;
    writeFileSync(join(folder, 'gdbus'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env['PATH']}`, XDG_RUNTIME_DIR: folder };
    expect(await idleMs({ platform: 'linux', env, home: folder })).toBe(1234);
  },
);

/** @param idle how long the person has given no input, as the platform tells it; undefined: it does not */
function watched(idle?: number) {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const quiet = new Quiet(memoryJournal(), clock);
  const person = { idle, inputMs: Number.NaN, looks: 0 };
  const nowMs = () => clock.now().getTime();
  const look = async () => {
    person.looks += 1;
    return Number.isNaN(person.inputMs) ? person.idle : nowMs() - person.inputMs;
  };
  onTestFinished(watchReturn(quiet, { idleMs: look, clock }));
  return {
    clock,
    quiet,
    person,
    /** From now on the platform counts from here. */
    input: () => void (person.inputMs = nowMs()),
    /** No counter counts it. */
    sleep(ms: number) {
      clock.jump(ms);
      person.inputMs += ms;
    },
    /** Whether the pause lasts after a time in which the platform tells this. */
    async isPausedAfter(ms: number, idle = person.idle) {
      person.idle = idle;
      await clock.advanceAsync(ms);
      return quiet.isUntilBack;
    },
  };
}

test('"until I am back" ends when the person is active after five minutes without input, and only then', async () => {
  const { quiet, isPausedAfter } = watched(100);
  quiet.begin('until-back');
  expect(await isPausedAfter(600_000)).toBe(true);
  expect(await isPausedAfter(300_000, 300_000)).toBe(true);
  expect(await isPausedAfter(15_000, 100)).toBe(false);
});

test('a look that fails does not end "until I am back"', async () => {
  const { quiet, person, isPausedAfter } = watched(300_000);
  quiet.begin('until-back');
  expect(await isPausedAfter(15_000)).toBe(true);
  person.idle = undefined;
  expect(await isPausedAfter(15_000)).toBe(true);
  expect(await isPausedAfter(15_000, 100)).toBe(false);
});

test('what begins after a sleep does not end with it', async () => {
  const { quiet, sleep, isPausedAfter } = watched(100);
  await isPausedAfter(60_000);
  sleep(7_200_000);
  quiet.begin('until-back');
  expect(await isPausedAfter(330_000)).toBe(true);
});

test('while nothing waits for the return, the platform is not asked for the last input', async () => {
  const { quiet, person, isPausedAfter } = watched(28_800_000);
  await isPausedAfter(28_800_000);
  expect(person.looks).toBe(0);
  quiet.begin('until-back');
  await isPausedAfter(15_000);
  expect(person.looks).toBe(1);
  quiet.end();
  await isPausedAfter(28_800_000);
  expect(person.looks).toBe(1);
  // The pause was over before the person chose it again.
  quiet.begin('until-back');
  expect(await isPausedAfter(15_000, 100)).toBe(true);
  expect(person.looks).toBe(2);
});

test('"until I am back" ends with the first input after a sleep, which no counter counts', async () => {
  const { quiet, person, input, sleep, isPausedAfter } = watched();
  quiet.begin('until-back');
  input();
  await isPausedAfter(60_000);
  input();
  sleep(7_200_000);
  // A machine that wakes alone: its counter goes on where it was, or it is not known.
  await isPausedAfter(250_000);
  person.inputMs = Number.NaN;
  expect(await isPausedAfter(15_000)).toBe(true);
  input();
  expect(await isPausedAfter(300_000)).toBe(false);
});

test('"until I am back" that begins just before a sleep ends with the first input after it', async () => {
  const { quiet, input, sleep, isPausedAfter } = watched(0);
  await isPausedAfter(3_610_000);
  input();
  quiet.begin('until-back');
  sleep(7_200_000);
  expect(await isPausedAfter(60_000)).toBe(true);
  input();
  expect(await isPausedAfter(15_000)).toBe(false);
});
