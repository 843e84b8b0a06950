import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { jsonLine } from './message/json-line.ts';
import { bin, run, written } from './testing/bin.ts';
import { told } from './testing/notifications.ts';

/** A home with a notification in its file. */
function home(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'state/deskside'), { recursive: true });
  writeFileSync(join(folder, 'state/deskside/notify.jsonl'), `${jsonLine(told('one', 'warn'))}\n`);
  return folder;
}

test.each([
  [['check']],
  [['tail', '--no-follow']],
  [['tail', '--no-follow', '--json']],
  [['send', 'x']],
  [['tail', '--help']],
])('%j ends without a word where nobody reads its output', async (args) => {
  await using program = startProgram(bin(home(), args));
  program.child.stdout.destroy();
  expect(await program.exited).toBe(0);
  expect(program.stderr()).not.toMatch(/EPIPE|Error:/);
});

test('that nobody reads its complaints ends nothing', async () => {
  await using program = startProgram(bin(home(), ['tail', '--no-follow', '--filter', 'loud']));
  program.child.stderr.destroy();
  expect(await program.exited).toBe(0);
  expect(program.stdout()).toMatch(/WARN {2}\[llm\] one/);
});

test.skipIf(!existsSync('/dev/full'))("an output that can't be written is told, and fails", async () => {
  const { command, args, env } = bin(home(), ['check']);
  const line = [command, ...(args ?? [])].map((word) => `'${word}'`).join(' ');
  await using program = startProgram({
    command: 'sh',
    args: ['-c', `exec ${line} > /dev/full`],
    ...(env === undefined ? {} : { env }),
  });
  expect(await program.exited).toBe(1);
  expect(program.stderr()).toBe("deskside-log-notify check: the output can't be written (ENOSPC)\n");
});

test.each([
  [['tail', 'extra'], "tail: Unexpected argument 'extra'. See --help."],
  [['check', 'extra'], "check: Unexpected argument 'extra'. See --help."],
  [['send', '-n', 'x'], "send: Unknown option '-n'. See --help."],
  [['send', '--level', '-x'], "send: Option '--level' argument is ambiguous. See --help."],
  [['tail', '-n'], "tail: Option '-n, --lines <value>' argument missing. See --help."],
])('%j is refused in one line, in the words that were typed', async (args, complaint) => {
  const { code, stdout, stderr } = await run(home(), args);
  expect({ code, stdout, stderr }).toStrictEqual({
    code: 1,
    stdout: '',
    stderr: `deskside-log-notify ${complaint}\n`,
  });
});

test('a word that is no command is told which there are', async () => {
  expect(await run(home(), ['tial'])).toStrictEqual({
    code: 1,
    stdout: '',
    stderr: 'deskside-log-notify: "tial" is no command; there are tail, send, render, check. See --help.\n',
  });
});

test('what stands behind -- is a message, letter for letter', async () => {
  const folder = temporaryFolder();
  await run(folder, ['send', '--', '-n', '-f', '--lines', '--help']);
  expect(written(folder).map(({ message }) => message)).toStrictEqual(['-n -f --lines --help']);
});

test.each(['folder', 'file/below'])("tail of %j, which can't be read, fails in one line", async (path) => {
  const folder = home();
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'file'), '');
  const { code, stderr } = await run(folder, ['tail', '--no-follow', '--file', join(folder, path)]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^deskside-log-notify tail: \S+ can't be read \((?:EISDIR|ENOTDIR)\)\n$/);
});

test('tail follows no other file than that of the configuration that was named', async () => {
  const folder = home();
  const config = join(folder, 'c.toml');
  const args = ['tail', '--no-follow', '--config', config];
  expect(await run(folder, args)).toStrictEqual({
    code: 1,
    stdout: '',
    stderr: `deskside-log-notify tail: ${config}: there is no such file.\n`,
  });
  writeFileSync(config, `colour = true\n[file]\npath = "${join(folder, 'other.jsonl')}"\n`);
  const { code, stdout, stderr } = await run(folder, args);
  expect({ code, stdout }).toStrictEqual({ code: 0, stdout: '' });
  expect(stderr).toMatch(/c\.toml: colour is unknown/);
});

test('a configuration that is named and not there is told once: by the server at its start, and by check', async () => {
  const config = join(home(), 'nowhere.toml');
  await using server = startProgram(bin(home(), [], { LOG_NOTIFY_CONFIG: config }));
  await server.printed(/nowhere\.toml: there is no such file\. Until there is, the defaults hold\./);
  server.child.stdin.end();
  expect(await server.exited).toBe(0);
  const sent = await run(home(), ['send', 'x', '--config', config]);
  expect(sent.stderr.match(/no such file/g)).toHaveLength(1);
  const checked = await run(home(), ['check', '--config', config]);
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain('  wrong: there is no such file.\n');
  expect(checked.stderr).toBe('deskside-log-notify check: something in the configuration is wrong\n');
});
