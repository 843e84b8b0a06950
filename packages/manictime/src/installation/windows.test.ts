import { expect, test } from 'vitest';
import { trackerIn } from './tracker.ts';
import { valueIn } from './windows-registry.ts';

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
])('reg query: %j has for %s the value %s', (output, name, value) => {
  expect(valueIn(output, name)).toBe(value);
});

test('tasklist says whether ManicTime runs', () => {
  expect(trackerIn('"ManicTime.exe","4711","Console","1","85,000 K"\r\n')).toEqual({
    running: true,
    processId: 4711,
  });
  expect(trackerIn('INFO: No tasks are running which match the specified criteria.')).toEqual({
    running: false,
  });
  expect(trackerIn('"ManicTimeClient.exe","4712","Console","1","85,000 K"')).toEqual({ running: false });
});
