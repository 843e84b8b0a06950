import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeSession, logindAt } from '@deskside/desktop/testing/logind';
import { fixedClock, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { testSystem } from '../testing/samples.ts';
import { isLocked, watchLock } from './lock.ts';

const uid = process.getuid?.() ?? -1;

/** A machine on which a program prints what the test says. */
function machine(platform: NodeJS.Platform, program: string) {
  const folder = temporaryFolder();
  const prints = (text: string) => writeFileSync(join(folder, 'output'), `${text}\n`);
  writeFileSync(join(folder, program), `#!/bin/sh\ncat ${folder}/output\n`);
  chmodSync(join(folder, program), 0o755);
  return { system: testSystem({ platform, uid, env: { PATH: `${folder}:/bin:/usr/bin` } }), prints };
}

/** A machine on which logind has these sessions, with the ids 1, 2, … */
async function withLogind(sessions: readonly FakeSession[], env: Readonly<Record<string, string>> = {}) {
  const systemBus = join(temporaryFolder(), 'bus');
  const logind = await logindAt(systemBus, sessions);
  const set = (changed: readonly FakeSession[]) => void (logind.sessions = changed);
  return { system: testSystem({ uid, env, systemBus }), set };
}

test.each<[string, boolean | undefined, FakeSession[], Record<string, string>]>([
  ['its lock hint says so', true, [{ LockedHint: true }], { XDG_SESSION_ID: '1' }],
  ['another user has the screen', true, [{ Active: false }], { XDG_SESSION_ID: '1' }],
  ['neither is the case', false, [{}], { XDG_SESSION_ID: '1' }],
  ['only another session is locked', false, [{ LockedHint: true }, {}], { XDG_SESSION_ID: '2' }],
  [
    'the session of its display is locked',
    true,
    [{}, { LockedHint: true, Display: ':2' }],
    { DISPLAY: ':2' },
  ],
  [
    'the locked session has another display',
    undefined,
    [{ LockedHint: true, Display: ':2' }],
    { DISPLAY: ':3' },
  ],
  ['the locked session is remote', undefined, [{ LockedHint: true, Remote: true }], { XDG_SESSION_ID: '1' }],
  [
    'the locked session is a terminal',
    undefined,
    [{ LockedHint: true, Type: 'tty' }],
    { XDG_SESSION_ID: '1' },
  ],
  ['no session exists', undefined, [], { XDG_SESSION_ID: '1' }],
])('if %s, the screen counts as locked: %s', async (_, locked, sessions, env) => {
  expect(await isLocked((await withLogind(sessions, env)).system)).toBe(locked);
});

test.each([
  ['darwin', '  | "IOConsoleLocked" = Yes', true],
  ['darwin', '  | "IOConsoleLocked" = No', false],
  ['darwin', '', undefined],
  ['win32', '"IOConsoleLocked" = Yes', undefined],
] as const)('on %s ioreg that prints %j means locked: %s', async (platform, output, locked) => {
  const { system, prints } = machine(platform, 'ioreg');
  prints(output);
  expect(await isLocked(system)).toBe(locked);
});

test('each change of the lock is reported once, also after a look that fails, until the watch ends', async () => {
  const { system, set } = await withLogind([{}], { XDG_SESSION_ID: '1' });
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const seen: boolean[] = [];
  let looks = 0;
  const counted = {
    ...clock,
    after(ms: number, run: () => void) {
      looks += 1;
      return clock.after(ms, run);
    },
  };
  const watch = watchLock(system, (locked) => void seen.push(locked), counted);
  await expect.poll(() => looks).toBe(1);
  expect(seen).toStrictEqual([false]);
  // Without a session logind says nothing.
  for (const sessions of [[{}], [{ LockedHint: true }], [{ LockedHint: true }], [], [{}]]) {
    const before = looks;
    set(sessions);
    clock.advance(5000);
    await expect.poll(() => looks).toBe(before + 1);
  }
  expect(seen).toStrictEqual([false, true, false]);
  watch[Symbol.dispose]();
  set([{ LockedHint: true }]);
  clock.advance(60_000);
  expect(looks).toBe(6);
});
