import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, type Program, startProgram, temporaryFolder } from '@deskside/testkit';
import { describe, expect, test, vi } from 'vitest';
import { jsonLine } from '../message/json-line.ts';
import type { Level } from '../message/levels.ts';
import { notification } from '../message/notification.ts';
import { hostileTexts, LIVE } from '../testing/hostile-texts.ts';
import { told } from '../testing/notifications.ts';
import { hasTmux, startTmux } from '../testing/tmux-terminal.ts';
import { follow } from './follow.ts';
import { openNewest } from './last-lines.ts';
import { alertBytes, alertOf } from './terminal-alert.ts';

const CLI = join(import.meta.dirname, '../cli.ts');

function line(message: string, level: Level = 'info', context = 'llm'): string {
  return `${jsonLine(notification({ level, context, message }, Date.UTC(2026, 10, 21, 10, 30)))}\n`;
}

function tail(home: string, args: readonly string[]): Program {
  const env = { ...cleanEnvironment(home), TZ: 'UTC' };
  return startProgram({ command: process.execPath, args: [CLI, 'tail', ...args], env });
}

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
])('%j prints the latest', async (args, printed) => {
  expect(await output(args, three)).toBe(printed);
});

test('as JSON, and with colours where they are wanted', async () => {
  const printed = await output(['--json', '-n', '1'], three);
  expect(JSON.parse(printed)).toMatchObject({ level: 'error', target: 'llm_notify', message: 'three' });
  const coloured = await output(['--color', 'always', '-n', '1'], three);
  expect(coloured).toContain('\u001B[1;31mERROR\u001B[0m');
});

test('what is too few in the file comes from those that were rotated; what is no notification is skipped', async () => {
  const printed = await output(['-n', '3'], {
    'notify.jsonl': `${line('newest')}torn{"mess\n`,
    'notify.jsonl.1': line('older') + line('old'),
    'notify.jsonl.2': line('oldest'),
  });
  expect(printed.match(/\] (.*)/g)).toStrictEqual(['] older', '] old', '] newest']);
});

test('a file that is not there yet, that is rotated and made anew is followed', async () => {
  const home = temporaryFolder();
  const file = join(home, 'notify.jsonl');
  await using program = tail(home, ['--file', file, '--filter', 'loud']);
  // It complains of the filter before it begins.
  await program.printed(/directive "loud" is skipped/);
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
  // As `tail -f`, it sees a truncation at its next look: until then the file must not grow over its old size.
  await vi.waitFor(
    () => {
      writeFileSync(file, line('cut'));
      expect(program.stdout()).toContain('cut');
    },
    { timeout: 30_000 },
  );
  expect(program.stdout().match(/first|second|third/g)).toStrictEqual(['first', 'second', 'third']);
});

test('of several rotations at once, one of them half done, no file is left out', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  writeFileSync(file, 'before\n');
  const ended = new AbortController();
  const seen: string[] = [];
  const newest = await openNewest(file);
  appendFileSync(file, 'one\n');
  for await (const text of follow(file, newest, ended.signal)) {
    seen.push(text);
    if (text === 'one') {
      renameSync(file, `${file}.4`);
      writeFileSync(`${file}.3`, 'two\n');
      writeFileSync(`${file}.1`, 'three\n');
      writeFileSync(file, 'four\n');
    }
    if (text === 'four') ended.abort();
  }
  expect(seen).toStrictEqual(['one', 'two', 'three', 'four']);
});

test('it ends without a word when nobody reads on', async () => {
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

test.each([
  ['osc9', '\u001B]9;WARN safety: a;b\u001B\\'],
  ['osc777', '\u001B]777;notify;WARN safety;a,b\u001B\\'],
  ['osc99', '\u001B]99;i=x1:d=0;WARN safety\u001B\\\u001B]99;i=x1:p=body;a;b\u001B\\'],
  ['bell', '\u0007'],
] as const)('an alert by %s', (alert, bytes) => {
  const alerted = { ...told('a;b', 'warn', 'safety'), id: 'x1' };
  expect(alertBytes(alert, alerted, false)).toBe(bytes);
  if (alert === 'bell') return;
  const inTmux = alertBytes(alert, alerted, true);
  expect(inTmux).toBe(`\u001BPtmux;${bytes.replaceAll('\u001B', '\u001B\u001B')}\u001B\\`);
});

test.each(hostileTexts)('%s is only words in an alert', (_, text) => {
  const alerted = { ...told(text, 'warn', text), id: text };
  expect(alertBytes('osc9', alerted, false).slice(4, -2)).not.toMatch(LIVE);
  expect(alertBytes('osc777', alerted, false).slice(6, -2).split(';')).toHaveLength(3);
  expect(alertBytes('osc777', alerted, false).slice(2, -2)).not.toMatch(LIVE);
  const [, title = '', body = '', ...more] = alertBytes('osc99', alerted, false).split('\u001B]');
  expect(more).toStrictEqual([]);
  for (const part of [title, body]) expect(part.slice(0, -2)).not.toMatch(LIVE);
});

test.each([
  [{ KITTY_WINDOW_ID: '1' }, 'osc99'],
  [{ TERM: 'xterm-kitty' }, 'osc99'],
  [{ TERM_PROGRAM: 'iTerm.app' }, 'osc9'],
  [{ TERM_PROGRAM: 'ghostty' }, 'osc9'],
  [{ VTE_VERSION: '7600', TERM: 'xterm-256color' }, 'osc777'],
  [{ TERM: 'foot' }, 'osc777'],
  [{ TERM: 'xterm-256color' }, 'bell'],
  [{}, 'bell'],
])('a terminal with %j gets %s', (env, alert) => {
  expect(alertOf(env)).toBe(alert);
});

describe.skipIf(!hasTmux)('in a real terminal', () => {
  test('colours, one line a message, nothing live but an alert', async () => {
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
