import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, type Program, startProgram, temporaryFolder } from '@deskside/testkit';
import { describe, expect, test, vi } from 'vitest';
import { jsonLine } from '../notification/json-line.ts';
import type { Level } from '../notification/notification.ts';
import { bin, CLI, homeWithNotification, run } from '../testing/bin.ts';
import { sampleNotification } from '../testing/delivery.ts';
import { hasTmux, startTmux } from '../testing/tmux-terminal.ts';

function line(message: string, level: Level = 'info', context = 'llm'): string {
  return `${jsonLine(sampleNotification(message, level, context, Date.UTC(2026, 10, 21, 10, 30)))}\n`;
}

function tail(home: string, args: readonly string[]): Program {
  return startProgram(bin(home, ['tail', ...args]));
}

/** What `tail --no-follow` prints for these files. */
async function output(args: readonly string[], files: Readonly<Record<string, string>>): Promise<string> {
  const home = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  await using program = tail(home, ['--file', join(home, 'notify.jsonl'), '--no-follow', ...args]);
  expect(await program.exited).toBe(0);
  return program.stdout();
}

const three = { 'notify.jsonl': line('one') + line('two', 'warn', 'safety') + line('three', 'error') };

test.each([
  [[], '10:30:00 INFO  [llm] one\n10:30:00 WARN  [safety] two\n10:30:00 ERROR [llm] three\n'],
  [['-n', '1'], '10:30:00 ERROR [llm] three\n'],
  [['-n1'], '10:30:00 ERROR [llm] three\n'],
  [['--lines=0'], ''],
  [
    ['--filter', 'error,[{context=safety}]=info'],
    '10:30:00 WARN  [safety] two\n10:30:00 ERROR [llm] three\n',
  ],
  [['-n', '1', '--filter', 'llm_notify::error=off'], '10:30:00 WARN  [safety] two\n'],
])('tail %j prints the latest notifications', async (args, printed) => {
  expect(await output(args, three)).toBe(printed);
});

test('tail prints JSON with --json, and colors with --color always', async () => {
  const printed = await output(['--json', '-n', '1'], three);
  expect(JSON.parse(printed)).toMatchObject({ level: 'error', target: 'llm_notify', message: 'three' });
  const colored = await output(['--color', 'always', '-n', '1'], three);
  expect(colored).toContain('\u001B[1;31mERROR\u001B[0m');
});

test('tail continues in rotated files and skips lines that are not notifications', async () => {
  const printed = await output(['-n', '3'], {
    'notify.jsonl': `${line('newest')}torn{"mess\n`,
    'notify.jsonl.1': line('older') + line('old'),
    'notify.jsonl.2': line('oldest'),
  });
  expect(printed.match(/\] (.*)/g)).toStrictEqual(['] older', '] old', '] newest']);
});

test('tail follows a file that is created later, rotated, and truncated', async () => {
  const home = temporaryFolder();
  const file = join(home, 'notify.jsonl');
  await using program = tail(home, ['--file', file, '--filter', 'loud']);
  // The warning about the filter shows that the program has started.
  await program.printed(/directive "loud"/);
  appendFileSync(file, line('first'));
  await program.printed(/first/);
  appendFileSync(file, line('second').slice(0, 40));
  appendFileSync(file, line('second').slice(40));
  renameSync(file, `${file}.1`);
  appendFileSync(`${file}.1`, line('late'));
  writeFileSync(file, line('third'));
  await program.printed(/late/);
  await program.printed(/third/);
  writeFileSync(file, '');
  // Like `tail -f`, it notices a truncation at its next poll: the file must not exceed its old size before.
  await vi.waitFor(
    () => {
      writeFileSync(file, line('cut'));
      expect(program.stdout()).toContain('cut');
    },
    { timeout: 30_000 },
  );
  expect(program.stdout().match(/first|second|third/g)).toStrictEqual(['first', 'second', 'third']);
});

test('tail ends silently when its reader leaves', async () => {
  const home = temporaryFolder();
  const file = join(home, 'notify.jsonl');
  writeFileSync(file, line('first'));
  await using program = tail(home, ['--file', file]);
  await program.printed(/first/);
  program.child.stdout.destroy();
  const writing = setInterval(() => appendFileSync(file, line('more')), 50);
  expect(await program.exited).toBe(0);
  clearInterval(writing);
  expect(program.stderr()).toBe('');
});

test.each(['folder', 'file/below'])('tail of the unreadable path %j fails with one line', async (path) => {
  const home = homeWithNotification();
  mkdirSync(join(home, 'folder'));
  writeFileSync(join(home, 'file'), '');
  const { code, stderr } = await run(home, ['tail', '--no-follow', '--file', join(home, path)]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^deskside-log-notify tail: \S+ cannot be read \((?:EISDIR|ENOTDIR)\)\.\n$/);
});

test('tail fails if a named configuration does not exist, and uses its file if it does', async () => {
  const home = homeWithNotification();
  const config = join(home, 'c.toml');
  const args = ['tail', '--no-follow', '--config', config];
  expect(await run(home, args)).toStrictEqual({
    code: 1,
    stdout: '',
    stderr: `deskside-log-notify tail: ${config}: the file does not exist.\n`,
  });
  writeFileSync(config, `color = true\n[file]\npath = "${join(home, 'other.jsonl')}"\n`);
  const { code, stdout, stderr } = await run(home, args);
  expect({ code, stdout }).toStrictEqual({ code: 0, stdout: '' });
  expect(stderr).toMatch(/c\.toml: Unknown key color/);
});

describe.skipIf(!hasTmux)('in tmux', () => {
  test('tail shows one colored line per notification, and the only other escape sequence is the alert', async () => {
    const home = temporaryFolder();
    const file = join(home, 'notify.jsonl');
    writeFileSync(file, line('the last one before'));
    const env = { ...cleanEnvironment(home), TERM: 'xterm-256color', TZ: 'UTC' };
    const command = `${process.execPath} ${CLI} tail --file ${file} --alert osc777`;
    using terminal = startTmux(home, command, env);
    await vi.waitFor(() => expect(terminal.screen()).toContain('the last one before'), { timeout: 30_000 });
    appendFileSync(file, line('a\nERROR forged \u001B]0;owned\u0007\u001B[2J', 'warn', 'safety'));
    await vi.waitFor(() => expect(terminal.screen()).toContain('forged'), { timeout: 30_000, interval: 20 });
    const lines = terminal
      .screen()
      .split('\n')
      .filter((text) => text !== '');
    expect(lines).toStrictEqual([
      '10:30:00 INFO  [llm] the last one before',
      String.raw`10:30:00 WARN  [safety] a\nERROR forged \x1b]0;owned\x07\x1b[2J`,
    ]);
    expect(terminal.screen(true)).toContain('\u001B[33mWARN');
    const bytes = readFileSync(terminal.bytesFile, 'utf8');
    expect(bytes).toContain('\u001BPtmux;\u001B\u001B]777;notify;WARN safety;');
    expect(bytes).not.toContain('\u001B]0;');
  });
});
