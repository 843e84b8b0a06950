import { idleMs, watchReturn } from './idle.ts';
import { Quiet } from './quiet.ts';
import { memoryJournal } from '../journal/records.ts';
import { fixedClock } from '@deskside/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startX11Server, type X11ServerOptions } from '@deskside/testkit';

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

test('"until I am back" ends when the person is active after five minutes without input, and only then', async () => {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const quiet = new Quiet(memoryJournal(), clock);
  let idle: number | undefined = 100;
  let ends = 0;
  const stop = watchReturn(quiet, { idleMs: async () => idle, clock, onEnd: () => (ends += 1) });
  quiet.begin('until-back');
  await clock.advanceAsync(600_000);
  expect(quiet.isUntilBack).toBe(true);
  idle = 300_000;
  await clock.advanceAsync(300_000);
  expect(quiet.isUntilBack).toBe(true);
  idle = 100;
  await clock.advanceAsync(15_000);
  expect([quiet.isUntilBack, ends]).toStrictEqual([false, 1]);
  stop();
  quiet.begin('until-back');
  for (idle of [300_000, undefined, 100]) await clock.advanceAsync(300_000);
  expect(quiet.isUntilBack).toBe(true);
});

test('a look that fails does not end "until I am back"', async () => {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const quiet = new Quiet(memoryJournal(), clock);
  let idle: number | undefined = 300_000;
  const stop = watchReturn(quiet, { idleMs: async () => idle, clock });
  quiet.begin('until-back');
  await clock.advanceAsync(15_000);
  idle = undefined;
  await clock.advanceAsync(15_000);
  expect(quiet.isUntilBack).toBe(true);
  idle = 100;
  await clock.advanceAsync(15_000);
  expect(quiet.isUntilBack).toBe(false);
  stop();
});

test('"until I am back" ends with the first input after a sleep, which no counter counts', async () => {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const quiet = new Quiet(memoryJournal(), clock);
  let isKnown = true;
  let inputMs = clock.now().getTime();
  const sleep = (ms: number) => {
    clock.jump(ms);
    inputMs += ms;
  };
  const idleMs = async () => (isKnown ? clock.now().getTime() - inputMs : undefined);
  const stop = watchReturn(quiet, { idleMs, clock });
  quiet.begin('until-back');
  await clock.advanceAsync(60_000);
  inputMs = clock.now().getTime();
  sleep(7_200_000);
  // A machine that wakes alone: its counter goes on where it was, or it is not known.
  await clock.advanceAsync(250_000);
  isKnown = false;
  await clock.advanceAsync(15_000);
  expect(quiet.isUntilBack).toBe(true);
  isKnown = true;
  inputMs = clock.now().getTime();
  await clock.advanceAsync(300_000);
  expect(quiet.isUntilBack).toBe(false);
  stop();
});

test('what begins after a sleep does not end with it', async () => {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const quiet = new Quiet(memoryJournal(), clock);
  const stop = watchReturn(quiet, { idleMs: async () => 100, clock });
  await clock.advanceAsync(60_000);
  clock.jump(7_200_000);
  quiet.begin('until-back');
  await clock.advanceAsync(330_000);
  expect(quiet.isUntilBack).toBe(true);
  stop();
});

test('while nothing waits for the return, the platform is not asked for the last input', async () => {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const quiet = new Quiet(memoryJournal(), clock);
  let looks = 0;
  let idle = 28_800_000;
  const idleMs = async () => {
    looks += 1;
    return idle;
  };
  const stop = watchReturn(quiet, { idleMs, clock });
  await clock.advanceAsync(28_800_000);
  expect(looks).toBe(0);
  quiet.begin('until-back');
  await clock.advanceAsync(15_000);
  expect(looks).toBe(1);
  quiet.end();
  await clock.advanceAsync(28_800_000);
  expect(looks).toBe(1);
  // The pause was over before the person chose it again.
  idle = 100;
  quiet.begin('until-back');
  await clock.advanceAsync(15_000);
  expect([looks, quiet.isUntilBack]).toStrictEqual([2, true]);
  stop();
});

test('"until I am back" that begins just before a sleep ends with the first input after it', async () => {
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const quiet = new Quiet(memoryJournal(), clock);
  let inputMs = clock.now().getTime();
  const stop = watchReturn(quiet, { idleMs: async () => clock.now().getTime() - inputMs, clock });
  await clock.advanceAsync(3_610_000);
  inputMs = clock.now().getTime();
  quiet.begin('until-back');
  clock.jump(7_200_000);
  inputMs += 7_200_000;
  await clock.advanceAsync(60_000);
  expect(quiet.isUntilBack).toBe(true);
  inputMs = clock.now().getTime();
  await clock.advanceAsync(15_000);
  expect(quiet.isUntilBack).toBe(false);
  stop();
});
