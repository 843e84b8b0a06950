import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectStdio, firstText, temporaryFolder } from '@deskside/testkit';
import { describe, expect, test, vi } from 'vitest';
import { escapeLine } from '../../notification/safe-text.ts';
import { sampleNotification } from '../../testing/delivery.ts';
import { CLI, journalOf, run } from '../../testing/bin.ts';
import {
  canShowNotifications,
  canUseXfce,
  startDesktopSession,
  startXfceSession,
} from '../../testing/desktop-session.ts';
import type { Host } from '../define-sink.ts';
import { desktopSink, runCommand } from './desktop.ts';
import { thisMachine } from './drivers.ts';

const { signal } = new AbortController();

test('runCommand passes the input unchanged, and rejects if the program is missing, fails or is aborted', async () => {
  const controller = new AbortController();
  const running = async (script: string, program = process.execPath, input = '') =>
    runCommand({ program, args: ['-e', script], input }, process.env, controller.signal);
  const file = join(temporaryFolder(), 'input');
  const copy = `require('fs').writeFileSync(${JSON.stringify(file)}, require('fs').readFileSync(0))`;
  await running(copy, process.execPath, '{"body":"ä😀"}');
  expect(readFileSync(file, 'utf8')).toBe('{"body":"ä😀"}');
  await expect(running('', '/nowhere/notify-send')).rejects.toThrow(/ENOENT/);
  await expect(running('console.error("no bus"); process.exit(3)')).rejects.toThrow(/exited with 3: no bus/);
  const hung = running('setInterval(() => {}, 1000)');
  controller.abort();
  await expect(hung).rejects.toThrow(/abort/i);
});

test('a failing notify-send is reported and does not fail the command', async () => {
  const home = temporaryFolder();
  writeFileSync(join(home, 'notify-send'), '#!/bin/sh\necho no bus >&2\nexit 1\n');
  chmodSync(join(home, 'notify-send'), 0o755);
  const sent = await run(home, ['send', '--level', 'warn', 'Careful'], '', { DISPLAY: ':9', PATH: home });
  expect(sent.code).toBe(1);
  expect(sent.stderr).toMatch(
    /desktop: notify-send exited with 1: no bus[\s\S]*No one sees this now \(.*desktop: failing\)/,
  );
});

describe.skipIf(!canShowNotifications)('on a real desktop', () => {
  test('the server shows a warning on the desktop without any configuration', async () => {
    await using session = await startDesktopSession();
    const { env } = session;
    await using peer = await connectStdio({ command: process.execPath, args: [CLI], env }, { era: 'modern' });
    const message = String.raw`Back up C:\data first: <b>&</b> \033[31m` + '\nERROR forged';
    // Nobody follows the file.
    const info = await peer.callTool('notify', { message: 'only a status' });
    expect(info.content).toHaveLength(1);
    expect(await session.shown(/\tappname: 'Deskside'[\s\S]*?\n\}/)).toMatch(
      /body: 'only a status'[\s\S]*urgency: LOW/,
    );
    const answer = await peer.callTool('notify', { message, level: 'warn', context: 'safety' });
    const shown = await session.shown(/\tsummary: 'test[^']*Warning[\s\S]*?\n\}/);
    expect(firstText(answer)).toBe(`Notification sent: ${escapeLine(message)}`);
    // Who speaks comes first.
    expect(shown).toMatch(/summary: 'test · \S+ · Warning: safety'/);
    expect(shown).toContain(
      String.raw`body: 'Back up C:\data first: &lt;b&gt;&amp;&lt;/b&gt; \033[31m` + "\nERROR forged'",
    );

    // An answer waits for the desktop only a moment, which can be too short on a busy machine.
    const again = await peer.callTool('notify', { message: 'again', level: 'warn' });
    expect(again._meta).toMatchObject({ 'deskside/delivery': { delivered: ['desktop'] } });

    const came = new Date(2026, 10, 21, 22, 42).getTime();
    const clock = { now: () => new Date(came + 3_600_000) };
    const late = desktopSink(() => thisMachine(env), clock);
    await late.deliver([sampleNotification('late', 'warn', 'safety', came)], signal);
    expect(await session.shown(/summary: '\d.*safety'/)).toBe("summary: '22:42 · Warning: safety'");
  });

  test('a notification that the person closes is seen in the journal, and another is not', async () => {
    await using session = await startDesktopSession();
    const { home, env } = session;
    await using peer = await connectStdio({ command: process.execPath, args: [CLI], env }, { era: 'modern' });
    await using journal = journalOf(home);
    await peer.callTool('notify', { message: 'dismissed', level: 'error' });
    await session.shown(/body: 'dismissed'/);
    await peer.callTool('notify', { message: 'left alone', level: 'warn' });
    await session.shown(/left alone/);
    await session.dismiss();
    await expect
      .poll(async () => (await journal.records()).map(({ seen, via }) => [seen !== undefined, via]))
      .toStrictEqual([
        [true, 'desktop'],
        [false, undefined],
      ]);
  });

  test('a daemon that shows no markup gets the text as it is, and who closes a summary has seen what it stands for', async () => {
    await using session = await startDesktopSession('[global]\nmarkup = no\n');
    const { env } = session;
    const seen = vi.fn<NonNullable<Host['seen']>>();
    const sink = desktopSink(() => thisMachine(env), undefined, { seen });
    const summarizes = [{ id: '1', caller: 'Codex' }, { id: '2' }];
    await sink.deliver([{ ...sampleNotification('held back: <b> & c', 'warn'), summarizes }], signal);
    expect(await session.shown(/\tappname: 'Deskside'[\s\S]*?\n\}/)).toContain("body: 'held back: <b> & c'");
    await session.dismiss();
    await expect.poll(() => seen.mock.calls).toStrictEqual([[summarizes]]);
  });

  test.each([
    ['dunst', startDesktopSession],
    ...(canUseXfce ? [['Xfce', startXfceSession] as const] : []),
  ] as const)(
    'a notification is seen in %s, but not in its "Do not disturb", and send and doctor say so',
    async (_, start) => {
      await using session = await start();
      const { home } = session;
      const shown = await run(home, ['send', '--level', 'error', 'shown'], '', session.env);
      expect(shown).toMatchObject({ code: 0 });
      await session.pause();
      const sent = await run(home, ['send', '--level', 'error', 'x'], '', session.env);
      expect(sent).toMatchObject({ code: 1, stderr: expect.stringContaining('desktop: do not disturb') });
      const doctor = await run(home, ['doctor'], '', session.env);
      expect(doctor.stdout).toMatch(/desktop +available, but in "Do not disturb" now/);
    },
  );

  test('without a notification daemon, doctor reports it', async () => {
    await using session = await startDesktopSession();
    await session.endDaemon();
    const doctor = await run(session.home, ['doctor'], '', session.env);
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining('No notification daemon runs') });
  });
});
