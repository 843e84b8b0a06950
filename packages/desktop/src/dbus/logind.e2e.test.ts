import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { logindOn } from '../testing/logind.ts';
import { loginSessions } from './logind.ts';

const uid = process.getuid?.() ?? -1;
const isMissing = spawnSync('which', ['dbus-daemon']).status !== 0;

/** A real system bus of the test. */
async function startBus() {
  const folder = temporaryFolder();
  const bus = join(folder, 'bus');
  const settings = join(folder, 'bus.conf');
  writeFileSync(
    settings,
    `<busconfig><type>system</type><listen>unix:path=${bus}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>`,
  );
  const args = ['--config-file', settings, '--nofork', '--nopidfile', '--print-address'];
  const daemon = startProgram({ command: 'dbus-daemon', args });
  onTestFinished(() => daemon[Symbol.asyncDispose]());
  await daemon.printed(/unix:\S+/);
  return bus;
}

test.skipIf(isMissing)(
  'the sessions at a screen come from logind on the system bus, as it says now',
  async () => {
    const bus = await startBus();
    expect(await loginSessions(bus, uid)).toBeUndefined();
    const logind = await logindOn(bus, [
      { Display: ':0', Active: false },
      { Display: ':1' },
      { Type: 'wayland', LockedHint: true },
      { Type: 'tty' },
      { Remote: true },
      { uid: uid + 1 },
    ]);
    expect(await loginSessions(bus, uid)).toStrictEqual([
      { id: '1', display: ':0', isActive: false, isLocked: false },
      { id: '2', display: ':1', isActive: true, isLocked: false },
      { id: '3', display: undefined, isActive: true, isLocked: true },
    ]);
    logind.sessions = [];
    expect(await loginSessions(bus, uid)).toStrictEqual([]);
  },
);

test('without a system bus logind is not known', async () => {
  expect(await loginSessions(join(temporaryFolder(), 'bus'), uid)).toBeUndefined();
});
