import { expect, test } from 'vitest';
import { machineLike } from '../testing/machine.ts';
import { systemTheme } from './system-theme.ts';
import { themeProbe } from './theme-probe.ts';

const registry = (value: string) =>
  `\r\nHKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Themes\\Personalize\r\n    AppsUseLightTheme    REG_DWORD    ${value}\r\n\r\n`;

test.each([
  ['darwin', 'Dark\n', true],
  ['darwin', '', false],
  ['win32', registry('0x0'), true],
  ['win32', registry('0x1'), false],
  ['win32', '', false],
  ['linux', "'prefer-dark'\n", true],
  ['linux', "'default'\n", false],
  ['linux', "'prefer-light'\n", false],
  ['linux', '', false],
] as const)('%s says %j', (platform, output, isDark) => {
  expect(themeProbe(platform)?.isDark(output)).toBe(isDark);
});

test.each([
  ['darwin', 'defaults read -g AppleInterfaceStyle'],
  [
    'win32',
    String.raw`reg query HKCU\Software\Microsoft\Windows\CurrentVersion\Themes\Personalize /v AppsUseLightTheme`,
  ],
  ['linux', 'gsettings get org.gnome.desktop.interface color-scheme'],
] as const)('%s is asked as the contract says', (platform, command) => {
  const probe = themeProbe(platform);
  expect([probe?.command, ...(probe?.args ?? [])].join(' ')).toBe(command);
});

test('what can’t be told is light', async () => {
  expect(await systemTheme(machineLike({ platform: 'freebsd' }))).toBe('light');
  expect(await systemTheme(machineLike({ env: { PATH: '/nowhere' } }))).toBe('light');
});
