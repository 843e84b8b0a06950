import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { openJournal, Quiet } from '@deskside/desktop';
import { systemClock } from '@deskside/core/base';
import { isInstalled, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { missingPackages, needs, openDesktop } from '../testing/desktop.ts';
import { connectPopup } from '../testing/session.ts';

const hasDaemon = isInstalled('dbus-daemon', 'dunst', 'dunstctl', 'gdbus');

/** A screen with a real notification daemon, on which the person wants no interruption. */
async function quietDesktop() {
  const home = temporaryFolder();
  const desktop = await openDesktop(home);
  const address = `unix:path=${join(home, 'bus')}`;
  const bus = startProgram({
    command: 'dbus-daemon',
    args: ['--session', '--nofork', '--print-address', '--address', address],
    env: desktop.env,
  });
  await bus.printed(/unix:/);
  const env = { ...desktop.env, DBUS_SESSION_BUS_ADDRESS: address };
  const daemon = startProgram({ command: 'dunst', args: ['-print'], env });
  const wait = ['wait', '--session', '--timeout', '20', 'org.freedesktop.Notifications'];
  await startProgram({ command: 'gdbus', args: wait, env }).exited;
  const places = { state: join(home, 'state/deskside'), runtime: [] };
  await using journal = openJournal({ places, log: silentLog });
  new Quiet(journal, systemClock).begin('1h');
  const client = await connectPopup(env);
  onTestFinished(async () => {
    await client[Symbol.asyncDispose]();
    for (const each of [daemon, bus, desktop]) await each[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });
  const control = async (...args: readonly string[]) => {
    const program = startProgram({ command: 'dunstctl', args, env });
    await program.exited;
    return program.stdout();
  };
  return { desktop, daemon, client, control };
}

test.skipIf(missingPackages.length > 0 || !hasDaemon)(
  `a question that "Not now" holds has a notification until its call ends, and "Answer" on it opens the window${needs}`,
  async () => {
    const { desktop, daemon, client, control } = await quietDesktop();
    const since = client.now();
    const stop = new AbortController();
    const stopped = client.notify({ message: 'Deploy?' }, { signal: stop.signal });
    await daemon.printed(/body: 'Deploy\?'/);
    stop.abort();
    await expect(stopped).rejects.toThrow(/abort/i);
    await expect.poll(async () => JSON.parse(await control('count', 'displayed')) as number).toBe(0);
    const answer = client.notify({ message: '**Deploy** to <production>?' });
    const [shown] = await daemon.printed(/summary: '.* waits for an answer'\s*body: 'Deploy to [\s\S]*?\n\}/);
    expect(shown).toContain("body: 'Deploy to &lt;production&gt;?'");
    expect(shown).toContain('Answer');
    expect(desktop.popup()).toBeUndefined();
    await control('action');
    await client.logged('popup shown', since);
    await desktop.popupHasKeyboard();
    await client.acceptsKeys(since);
    desktop.type('yes');
    desktop.key('Return');
    expect(await answer).toContain('yes');
  },
);
