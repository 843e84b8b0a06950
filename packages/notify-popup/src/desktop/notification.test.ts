import { expect, test } from 'vitest';
import { testSystem } from '../testing/samples.ts';
import { notificationCommand, notifyDesktop } from './notification.ts';

const TITLE = '--help "$(x)"';
const TEXT = "it's; done";

test('on Linux and macOS title and text are separate arguments, also if they look like options or code', () => {
  expect(notificationCommand('linux', TITLE, TEXT)).toMatchObject({
    command: 'notify-send',
    args: ['--app-name=Deskside', '--', TITLE, TEXT],
  });
  // A title that begins with `-e` would be a script.
  expect(notificationCommand('darwin', '-e', TEXT).args.slice(-3)).toStrictEqual(['--', '-e', TEXT]);
});

test('on Windows title and text are in the environment, where PowerShell does not read them as code', () => {
  expect(notificationCommand('win32', TITLE, TEXT).variables).toStrictEqual({
    DESKSIDE_TITLE: TITLE,
    DESKSIDE_TEXT: TEXT,
  });
});

// An argument with a NUL would throw.
test.each([TITLE, 'a\0b'])('a system without notifications reports that %j was not shown', async (title) => {
  expect(await notifyDesktop(title, TEXT, testSystem({ env: { PATH: '/nowhere' } }))).toBe(false);
});

test('on Linux the text is neither markup nor escapes of C', () => {
  expect(notificationCommand('linux', 'T', String.raw`<b>&\033`).args.at(-1)).toBe(
    String.raw`&lt;b&gt;&amp;\\033`,
  );
});
