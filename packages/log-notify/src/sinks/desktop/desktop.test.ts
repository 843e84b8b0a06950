import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, connectStdio, firstText, startProgram, temporaryFolder } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { neutralize } from '../../message/neutralize.ts';
import { canShowNotifications, startDesktopSession } from '../../testing/desktop-session.ts';
import { hostileTexts, LIVE } from '../../testing/hostile-texts.ts';
import { DesktopSink } from './desktop-sink.ts';
import { findDriver, isProgram, type Machine } from './find-driver.ts';
import { notifySend } from './notify-send.ts';
import { osascript } from './osascript.ts';
import { runCommand } from './run-command.ts';
import { windowsToast } from './windows-toast.ts';

const CLI = join(import.meta.dirname, '../../cli.ts');
const forever = new AbortController().signal;

function machine(platform: string, env: Machine['env'], files: readonly string[], userId = 1000): Machine {
  const has = (path: string) => files.includes(path);
  return { platform, env, userId, exists: has, isProgram: has };
}

const installed = ['/usr/bin/notify-send'];
const PATH = '/bin:/usr/bin';

test.each([
  ['macOS', machine('darwin', {}, []), osascript],
  ['Windows', machine('win32', {}, []), windowsToast],
  ['X11', machine('linux', { DISPLAY: ':0', PATH }, installed), notifySend],
  ['Wayland', machine('linux', { WAYLAND_DISPLAY: 'wayland-0', PATH }, installed), notifySend],
  [
    'a bus by its address',
    machine('linux', { DBUS_SESSION_BUS_ADDRESS: 'unix:x', PATH }, installed),
    notifySend,
  ],
  ['a bus at its usual place', machine('linux', { PATH }, [...installed, '/run/user/1000/bus']), notifySend],
  ['FreeBSD', machine('freebsd', { DISPLAY: ':0', PATH }, installed), notifySend],
])('%s has a driver', (_, described, driver) => {
  expect(findDriver(described)).toBe(driver);
});

test.each([
  ['no session', machine('linux', { PATH }, installed), /no desktop session/],
  ['an empty display', machine('linux', { DISPLAY: '', PATH }, installed), /no desktop session/],
  [
    "somebody else's bus",
    machine('linux', { PATH }, [...installed, '/run/user/7/bus']),
    /no desktop session/,
  ],
  ['no notify-send', machine('linux', { DISPLAY: ':0', PATH }, []), /notify-send is not installed: install/],
  ['no PATH', machine('linux', { DISPLAY: ':0' }, installed), /notify-send is not installed/],
])('with %s there is none, and it says why', (_, described, why) => {
  expect(findDriver(described)).toMatch(why);
  expect(new DesktopSink(() => described).unavailable()).toMatch(why);
});

test('a program is a file that may be run', () => {
  const folder = temporaryFolder();
  const [program, text] = [join(folder, 'program'), join(folder, 'text')];
  writeFileSync(program, '');
  chmodSync(program, 0o700);
  writeFileSync(text, '');
  chmodSync(text, 0o600);
  mkdirSync(join(folder, 'folder'));
  const found = ['program', 'text', 'folder', 'missing'].filter((name) => isProgram(join(folder, name)));
  expect(found).toStrictEqual(['program']);
});

test.each(hostileTexts)(
  '%s is one line of words for every driver, and never more than words',
  (_, message) => {
    const text = { level: 'error', title: 'Error: llm', body: neutralize(message, 500) } as const;
    for (const driver of [notifySend, osascript]) {
      const { args, input = '' } = driver(text);
      expect(args.slice(0, -1)).toStrictEqual(driver({ ...text, body: '' }).args.slice(0, -1));
      expect(`${args.join('')}${input}`).not.toMatch(LIVE);
    }
    const { args, input = '' } = windowsToast(text);
    expect(args).toStrictEqual(windowsToast({ ...text, body: '' }).args);
    expect(JSON.parse(input)).toStrictEqual({ title: text.title, body: text.body });
  },
);

test('notify-send gets markup and C escapes as text', () => {
  const { args } = notifySend({ level: 'warn', title: '-t', body: String.raw`<b>&\033[31m` });
  expect(args).toStrictEqual([
    '--app-name=Deskside',
    '--urgency=normal',
    '--',
    '-t',
    String.raw`&lt;b&gt;&amp;\\033[31m`,
  ]);
});

describe('a program', () => {
  test('that is missing, fails or hangs is an error', async () => {
    await expect(runCommand({ program: '/nowhere/notify-send', args: [] }, forever)).rejects.toThrow(
      /ENOENT/,
    );
    const failing = { program: process.execPath, args: ['-e', 'console.error("no bus"); process.exit(3)'] };
    await expect(runCommand(failing, forever)).rejects.toThrow(/ended with 3: no bus/);
    const hanging = { program: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] };
    const controller = new AbortController();
    const hung = runCommand(hanging, controller.signal);
    controller.abort();
    await expect(hung).rejects.toThrow(/abort/i);
  });

  test('reads its input as it was written', async () => {
    const file = join(temporaryFolder(), 'input');
    const script = `require('fs').writeFileSync(${JSON.stringify(file)}, require('fs').readFileSync(0))`;
    await runCommand({ program: process.execPath, args: ['-e', script], input: '{"body":"ä😀"}' }, forever);
    expect(readFileSync(file, 'utf8')).toBe('{"body":"ä😀"}');
  });
});

test('a notify-send that fails costs the call nothing, and is told', async () => {
  const home = temporaryFolder();
  writeFileSync(join(home, 'notify-send'), '#!/bin/sh\necho no bus >&2\nexit 1\n');
  chmodSync(join(home, 'notify-send'), 0o755);
  const env = { ...cleanEnvironment(home), DISPLAY: ':9', PATH: home };
  const send = { command: process.execPath, args: [CLI, 'send', '--level', 'warn', 'Careful'], env };
  await using program = startProgram(send);
  expect(await program.exited).toBe(0);
  expect(program.stdout()).toBe('Notification sent: Careful\n');
  expect(program.stderr()).toMatch(/desktop: notify-send ended with 1: no bus/);
});

describe.skipIf(!canShowNotifications)('on a real desktop', () => {
  test('without any configuration, a warning is shown', async () => {
    const home = temporaryFolder();
    await using session = await startDesktopSession(home);
    const env = { ...cleanEnvironment(home), ...session.env };
    await using peer = await connectStdio({ command: process.execPath, args: [CLI], env }, { era: 'modern' });
    const message = String.raw`Back up C:\data first: <b>&</b> \033[31m` + '\nERROR forged';
    const info = await peer.callTool('notify', { message: 'only a status' });
    expect(info._meta).toMatchObject({ 'deskside/delivery': { suppressed: { desktop: 'level' } } });
    const answer = await peer.callTool('notify', { message, level: 'warn', context: 'safety' });
    const shown = await session.shown(/\tappname: 'Deskside'[\s\S]*?\n\}/);
    expect(firstText(answer)).toBe(`Notification sent: ${neutralize(message)}`);
    expect(answer._meta).toMatchObject({ 'deskside/delivery': { delivered: ['stderr', 'file', 'desktop'] } });
    expect(shown).toContain("summary: 'Warning: safety'");
    expect(shown).toContain(
      String.raw`body: 'Back up C:\data first: &lt;b&gt;&amp;&lt;/b&gt; \033[31m\nERROR forged'`,
    );
  });
});
