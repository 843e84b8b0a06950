import { expect, test } from 'vitest';
import { expandVariables, parseRegistryExport, parseTasklist } from './installation.ts';

const EXPORT = [
  '\uFEFFWindows Registry Editor Version 5.00',
  '',
  String.raw`[HKEY_CURRENT_USER\SOFTWARE\Finkit\ManicTime]`,
  String.raw`"DataDirectory"="D:\\Größe \"Ж\"\\日本 "`,
  '"Number"=dword:00000001',
  '"Empty"=""',
  '"Expandable"=hex(2):25,00,41,00,50,00,50,00,44,00,41,00,54,00,41,00,25,00,\\',
  '  5c,00,16,04,00,00',
  '',
  String.raw`[HKEY_CURRENT_USER\SOFTWARE\Finkit\ManicTime\Client]`,
  '"OfSubkey"="x"',
  '',
].join('\r\n');

test.each([
  ['DataDirectory', String.raw`D:\Größe "Ж"\日本`],
  ['datadirectory', String.raw`D:\Größe "Ж"\日本`],
  ['Expandable', String.raw`%APPDATA%\Ж`],
  ['Number', undefined],
  ['Empty', undefined],
  ['OfSubkey', undefined],
  ['Absent', undefined],
])('parseRegistryExport reads the value of %s: %s', (name, value) => {
  expect(parseRegistryExport(EXPORT, name)).toBe(value);
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
