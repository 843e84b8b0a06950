import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { logindAt } from '../testing/logind.ts';
import { loginSessions } from './logind.ts';

const uid = process.getuid?.() ?? -1;

test('the sessions at a screen come from logind on the system bus, as it says now', async () => {
  const bus = join(temporaryFolder(), 'bus');
  expect(await loginSessions(bus, uid), 'without a bus').toBeUndefined();
  const logind = await logindAt(bus, undefined);
  expect(await loginSessions(bus, uid), 'without logind').toBeUndefined();
  logind.sessions = [
    { Display: ':0', Active: false },
    { Display: ':1' },
    { Type: 'wayland', LockedHint: true },
    { Type: 'tty' },
    { Remote: true },
    { uid: uid + 1 },
  ];
  expect(await loginSessions(bus, uid)).toStrictEqual([
    { id: '1', display: ':0', isActive: false, isLocked: false },
    { id: '2', display: ':1', isActive: true, isLocked: false },
    { id: '3', display: undefined, isActive: true, isLocked: true },
  ]);
  logind.sessions = [];
  expect(await loginSessions(bus, uid)).toStrictEqual([]);
});
