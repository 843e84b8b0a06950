import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, type Program, startProgram, temporaryFolder } from '@deskside/testkit';
import { describe, expect, test, vi } from 'vitest';
import { jsonLine } from '../notification/json-line.ts';
import { bin, CLI, journalOf, run } from '../testing/bin.ts';
import { sampleNotification } from '../testing/delivery.ts';
import { hasTmux, startTmux } from '../testing/tmux-terminal.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 30);

function line(message: string): string {
  return `${jsonLine(sampleNotification(message, 'info', 'llm', NOW))}\n`;
}

function tail(home: string, args: readonly string[]): Program {
  return startProgram(bin(home, ['tail', ...args]));
}

test('tail follows a file that is created later, rotated and truncated', async () => {
  const home = temporaryFolder();
  const file = join(home, 'notify.jsonl');
  await using program = tail(home, ['--file', file]);
  await program.printed(/Waiting for \S+notify\.jsonl/);
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

test('tail follows the file of a server that started without XDG_STATE_HOME', async () => {
  const home = temporaryFolder();
  const folder = join(home, '.local/state/deskside');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'notify.jsonl'), line('from the server'));
  const { stdout, stderr } = await run(home, ['tail', '--no-follow']);
  expect(stdout).toContain('from the server');
  expect(stderr).toMatch(/^Following \S+\.local\/state\/deskside\/notify\.jsonl/);
});

describe.skipIf(!hasTmux)('in tmux', () => {
  test('tail shows one line per notification, which no text can leave', async () => {
    const home = temporaryFolder();
    const file = join(home, 'notify.jsonl');
    writeFileSync(file, line('the last one before'));
    const env = { ...cleanEnvironment(home), TERM: 'xterm-256color', TZ: 'UTC' };
    await using terminal = startTmux(home, `${process.execPath} ${CLI} tail --file ${file}`, env);
    await vi.waitFor(() => expect(terminal.screen()).toContain('the last one before'), { timeout: 30_000 });
    const hostile = 'a\n10:30:00 ERROR [llm] forged \u001B]0;owned\u0007\u001B[2J 漢字 end';
    const sent = { ...sampleNotification(hostile, 'warn', 'safety', NOW) };
    appendFileSync(file, `${jsonLine({ ...sent, caller: 'Claude Code · my-project' })}\n`);
    await vi.waitFor(() => expect(terminal.screen()).toContain('end'), { timeout: 30_000, interval: 20 });
    expect(terminal.screen().replaceAll(/\s*\n/g, '')).toContain(
      '2026-11-21 10:30:00 INFO  [llm] the last one before' +
        String.raw`2026-11-21 10:30:00 WARN  [safety] Claude Code · my-project: a\n10:30:00 ERROR [llm] forged \x1b]0;owned\x07\x1b[2J 漢字 end`,
    );
    expect(terminal.screen(true)).toContain('\u001B[33mWARN');
    expect(readFileSync(terminal.bytesFile, 'utf8')).not.toContain('\u001B]0;');
  });

  test('what tail shows in a terminal is seen in the journal, and what a pipe gets is not', async () => {
    const home = temporaryFolder();
    const seen = async () => {
      await using journal = journalOf(home);
      return (await journal.records()).map(({ seen: at, via }) => [at !== undefined, via]);
    };
    await run(home, ['send', '--level', 'warn', 'from a job']);
    await run(home, ['tail', '--no-follow']);
    expect(await seen()).toStrictEqual([[false, undefined]]);
    const env = { ...cleanEnvironment(home), TERM: 'xterm' };
    await using terminal = startTmux(home, `${process.execPath} ${CLI} tail`, env);
    await vi.waitFor(() => expect(terminal.screen()).toContain('from a job'), { timeout: 30_000 });
    await expect.poll(seen).toStrictEqual([[true, 'terminal']]);
  });
});
