import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { commandLine, isRunning, programsIn, runProgram } from './programs.ts';

test('programs are found in the list of Windows, with its line ends, and in that of macOS', () => {
  const windows = '"System","4","Services","0","144 K"\r\n"Claude.exe","4242","Console","1","182.404 K"\r\n';
  expect(programsIn(windows)).toStrictEqual(['System', 'Claude', '']);
  expect(programsIn('/sbin/launchd\n/Applications/Claude.app/Contents/MacOS/Claude\n')).toStrictEqual([
    'launchd',
    'Claude',
    '',
  ]);
});

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const OTHER = 54_321;

test.skipIf(!isRoot).each([
  ['of another user does not run for this one', { uid: OTHER, gid: OTHER }, false],
  ['with another home folder has other files', { env: { HOME: '/home/grace' } }, false],
  ['of this user runs', { env: { HOME: '/home/ada' } }, true],
  ['that names no home folder runs', { env: {} }, true],
])('a program %s', async (_, user, runs) => {
  // No other program has this name.
  const name = `Claude-${process.pid}`;
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const program = join(folder, name);
  copyFileSync('/bin/sleep', program);
  const child = spawn(program, ['60'], { stdio: 'ignore', ...user });
  await once(child, 'spawn');
  try {
    expect(await isRunning([name], 'linux', { HOME: '/home/ada' })).toBe(runs);
  } finally {
    child.kill();
  }
});

const ARGS = ['mcp', 'add-json', 'deskside', '{"command":"cmd","args":["C:\\\\x\\\\"]}', "it's"];

test.each([
  ['linux', String.raw`claude mcp add-json deskside '{"command":"cmd","args":["C:\\x\\"]}' 'it'\''s'`],
  ['win32', String.raw`claude mcp add-json deskside "{\"command\":\"cmd\",\"args\":[\"C:\\x\\\\\"]}" "it's"`],
] as const)('a person on %s can paste a command line', (platform, line) => {
  expect(commandLine('claude', ARGS, platform)).toBe(line);
});

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

test('a program that is not installed keeps no process waiting', async () => {
  const before = timers();
  expect(await runProgram('nothing-here', [], process.env)).toBeUndefined();
  expect(timers()).toBeLessThanOrEqual(before);
});
