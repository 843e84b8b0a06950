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
  expect(notificationCommand('darwin', TITLE, TEXT).args.slice(-2)).toStrictEqual([TITLE, TEXT]);
});

test('on Windows title and text are in the environment, where PowerShell does not read them as code', () => {
  expect(notificationCommand('win32', TITLE, TEXT).variables).toStrictEqual({
    DESKSIDE_TITLE: TITLE,
    DESKSIDE_TEXT: TEXT,
  });
});

test('a system without notifications reports that nothing was shown', async () => {
  expect(await notifyDesktop(TITLE, TEXT, testSystem({ env: { PATH: '/nowhere' } }))).toBe(false);
});
