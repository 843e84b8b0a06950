import { expect, test } from 'vitest';
import { commandLine, programsIn } from './programs.ts';

test('programs are found in the list of Windows, with its line ends, and in that of macOS', () => {
  const windows = '"System","4","Services","0","144 K"\r\n"Claude.exe","4242","Console","1","182.404 K"\r\n';
  expect(programsIn(windows)).toStrictEqual(['System', 'Claude', '']);
  expect(programsIn('/sbin/launchd\n/Applications/Claude.app/Contents/MacOS/Claude\n')).toStrictEqual([
    'launchd',
    'Claude',
    '',
  ]);
});

const ARGS = ['mcp', 'add-json', 'deskside', '{"command":"cmd","args":["C:\\\\x\\\\"]}', "it's"];

test.each([
  ['linux', String.raw`claude mcp add-json deskside '{"command":"cmd","args":["C:\\x\\"]}' 'it'\''s'`],
  ['win32', String.raw`claude mcp add-json deskside "{\"command\":\"cmd\",\"args\":[\"C:\\x\\\\\"]}" "it's"`],
] as const)('a person on %s can paste a command line', (platform, line) => {
  expect(commandLine('claude', ARGS, platform)).toBe(line);
});
