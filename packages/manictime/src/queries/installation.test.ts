import { expect, test } from 'vitest';
import { expandVariables, parseRegistryValue, parseTasklist } from './installation.ts';

const QUERY = [
  '',
  String.raw`HKEY_CURRENT_USER\SOFTWARE\Finkit\ManicTime`,
  String.raw`    DataDirectory    REG_SZ    D:\My Data\ManicTime  `,
  '    Other    REG_DWORD    0x1',
  '',
].join('\r\n');

test.each([
  [QUERY, 'DataDirectory', String.raw`D:\My Data\ManicTime`],
  [QUERY, 'datadirectory', String.raw`D:\My Data\ManicTime`],
  [QUERY, 'Other', undefined],
  ['    DataDirectory    REG_EXPAND_SZ    %APPDATA%\\x', 'DataDirectory', String.raw`%APPDATA%\x`],
  ['    DataDirectory    REG_SZ    ', 'DataDirectory', undefined],
  ['ERROR: The system was unable to find the specified registry key', 'DataDirectory', undefined],
])('parseRegistryValue reads from %j the value of %s: %s', (output, name, value) => {
  expect(parseRegistryValue(output, name)).toBe(value);
});

test('parseTasklist finds the ManicTime process', () => {
  expect(parseTasklist('"ManicTime.exe","4711","Console","1","85,000 K"\r\n')).toEqual({
    running: true,
    processId: 4711,
  });
  expect(parseTasklist('INFO: No tasks are running which match the specified criteria.')).toEqual({
    running: false,
  });
  expect(parseTasklist('"ManicTimeClient.exe","4712","Console","1","85,000 K"')).toEqual({ running: false });
});

test.each([
  [String.raw`%LOCALAPPDATA%\Finkit\ManicTime`, String.raw`C:\Users\Jürgen\AppData\Local\Finkit\ManicTime`],
  [String.raw`%UserProfile%\ManicTime`, String.raw`C:\Users\Jürgen\ManicTime`],
  [String.raw`%APPDATA%\ManicTime`, String.raw`C:\Users\Jürgen\AppData\Roaming\ManicTime`],
  [String.raw`D:\100%\ManicTime`, String.raw`D:\100%\ManicTime`],
  [String.raw`%OTHER%\ManicTime`, String.raw`%OTHER%\ManicTime`],
])('expandVariables expands %s', (path, expanded) => {
  expect(expandVariables(path, String.raw`C:\Users\Jürgen\AppData\Local`)).toBe(expanded);
});
