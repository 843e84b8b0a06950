import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IS_PROOF, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { testSystem } from '../testing/samples.ts';
import { playChime } from './chime.ts';
import { idleMs } from '@deskside/desktop';
import { SharedDesk } from './shared-desk.ts';
import { systemTheme } from './theme.ts';

const WAITING = {
  id: 'waits',
  kind: 'question' as const,
  caller: 'Example host',
  firstLine: 'Well?',
  place: 2,
  since: '2026-03-01T10:00:00.000Z',
};

/** Writes an executable shell script. */
function writeProgram(folder: string, name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** A process that has the desk, and a desk of this process in the same folder. */
async function heldDesk() {
  const folder = temporaryFolder();
  const holder = fork(join(import.meta.dirname, '../testing/desk-holder.ts'), [folder], { execArgv: [] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder, 'message');
  const desk = new SharedDesk(async () => ({ folder, uid: process.getuid?.() }));
  onTestFinished(() => desk[Symbol.asyncDispose]());
  /** Resolves when this process has the desk. */
  const wait = (onWaiting = () => {}) =>
    new Promise<void>((resolve) => {
      desk.onChange = () => {
        if (desk.isOurs) resolve();
        if (desk.isWaiting) onWaiting();
      };
      desk.offer([{ ...WAITING, process: desk.process }]);
    });
  return { folder, holder, wait };
}

test('a killed process loses the desk at once and leaves no socket behind', async () => {
  const { folder, holder, wait } = await heldDesk();
  await wait(() => void holder.kill('SIGKILL'));
  expect(readdirSync(folder).filter((name) => name.endsWith('.sock'))).toHaveLength(1);
});

// It takes ten seconds: a holder that is silent for that time is stopped.
test.skipIf(!IS_PROOF)('a process that is stopped with Ctrl+Z loses the desk', async () => {
  const { holder, wait } = await heldDesk();
  holder.kill('SIGSTOP');
  expect(holder.signalCode).toBeNull();
  await wait();
  holder.kill('SIGCONT');
});

test('a chime is played by the first player that works', async () => {
  const folder = temporaryFolder();
  writeProgram(folder, 'paplay', 'exit 1');
  writeProgram(folder, 'aplay', `echo "$@" > ${folder}/played`);
  writeProgram(folder, 'canberra-gtk-play', `echo late > ${folder}/played`);
  const env = { PATH: `${folder}:/bin` };
  await playChime('start', testSystem({ env, home: folder, uid: process.getuid?.() ?? -1 }));
  const played = readFileSync(join(folder, 'played'), 'utf8').trim().replace('-q ', '');
  expect(readFileSync(played).toString('latin1', 0, 16)).toMatch(/^RIFF....WAVEfmt /s);
});

const PORTAL =
  'call --session --timeout=1 --dest=org.freedesktop.portal.Desktop --object-path=/org/freedesktop/portal/desktop --method=org.freedesktop.portal.Settings.ReadOne org.freedesktop.appearance color-scheme';
const REGISTRY = String.raw`query HKCU\Software\Microsoft\Windows\CurrentVersion\Themes\Personalize /v AppsUseLightTheme`;

test.each([
  ['darwin', 'defaults', 'read -g AppleInterfaceStyle', 'Dark', 'dark'],
  ['win32', 'reg', REGISTRY, '    AppsUseLightTheme    REG_DWORD    0x0', 'dark'],
  ['win32', 'reg', REGISTRY, '    AppsUseLightTheme    REG_DWORD    0x1', 'light'],
  ['linux', 'gsettings', 'get org.gnome.desktop.interface color-scheme', "'prefer-dark'", 'dark'],
  ['linux', 'gsettings', 'get org.gnome.desktop.interface color-scheme', "'prefer-light'", 'light'],
  ['linux', 'gsettings', 'get org.gnome.desktop.interface color-scheme', "'default'", 'auto'],
  ['linux', 'gdbus', PORTAL, '(<uint32 1>,)', 'dark'],
  ['linux', 'gdbus', PORTAL, '(<uint32 2>,)', 'light'],
  ['linux', 'gdbus', PORTAL, '(<uint32 0>,)', 'auto'],
  ['linux', 'kreadconfig6', '--group General --key ColorScheme', 'BreezeDark', 'dark'],
  ['linux', 'kreadconfig5', '--group General --key ColorScheme', 'BreezeLight', 'light'],
] as const)(
  'on %s, "%s %s" that prints %j makes a %s popup',
  async (platform, command, args, output, theme) => {
    const folder = temporaryFolder();
    writeProgram(folder, command, `[ "$*" = '${args}' ] && printf '%s\\r\\n' "${output}"`);
    expect(await systemTheme(testSystem({ platform, env: { PATH: folder } }), 20_000)).toBe(theme);
  },
);

test.each([
  ['darwin', 'light'],
  ['win32', 'light'],
  ['linux', 'auto'],
  ['freebsd', 'auto'],
] as const)('on %s the popup is %s if the system does not say its theme', async (platform, theme) => {
  expect(await systemTheme(testSystem({ platform, env: { PATH: '/nowhere' } }))).toBe(theme);
});

test.each([
  [
    'darwin',
    'ioreg',
    '+-o IOHIDSystem  <class IOHIDSystem>\n    {\n      "HIDIdleTime" = 1234567890\n    }',
    1234.56789,
  ],
  ['win32', 'powershell', '1234', 1234],
  ['win32', 'powershell', 'Add-Type is not allowed', undefined],
] as const)('on %s the idle time comes from %s that prints %j', async (platform, command, output, ms) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'output'), `${output}\r\n`);
  writeProgram(folder, command, `cat ${folder}/output`);
  expect(await idleMs(testSystem({ platform, env: { PATH: `${folder}:/bin:/usr/bin` } }))).toBe(ms);
});
