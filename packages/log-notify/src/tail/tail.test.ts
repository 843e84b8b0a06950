import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codePointLength } from '@deskside/core/text';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { sampleNotification } from '../testing/delivery.ts';
import { openNewest } from './file-reader.ts';
import { follow } from './follow.ts';
import { alertSequence, detectAlert } from './terminal-alert.ts';
import { terminalBlock } from './terminal-block.ts';

test('follow reads every file of several rotations, in order, even if one rotation is incomplete', async () => {
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

test.each([
  ['osc9', '\u001B]9;WARN safety: a;b\u001B\\'],
  ['osc777', '\u001B]777;notify;WARN safety;a,b\u001B\\'],
  ['osc99', '\u001B]99;i=x1:d=0;WARN safety\u001B\\\u001B]99;i=x1:p=body;a;b\u001B\\'],
  ['bell', '\u0007'],
] as const)('alertSequence writes %s, and wraps it inside tmux', (alert, bytes) => {
  const alerted = { ...sampleNotification('a;b', 'warn', 'safety'), id: 'x1' };
  expect(alertSequence(alert, alerted, false)).toBe(bytes);
  if (alert === 'bell') return;
  const inTmux = alertSequence(alert, alerted, true);
  expect(inTmux).toBe(`\u001BPtmux;${bytes.replaceAll('\u001B', '\u001B\u001B')}\u001B\\`);
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
])('detectAlert in the environment %j returns %s', (env, alert) => {
  expect(detectAlert(env)).toBe(alert);
});

const COLUMNS = 60;

/** What tail prints after the time and the level, with the indent of the lines after the first. */
function block(message: string): string[] {
  const [first = '', ...others] = terminalBlock(sampleNotification(message), COLUMNS, false)
    .trimEnd()
    .split('\n');
  return [first.slice(15), ...others];
}

const INDENT = ' '.repeat(15);

test.each([
  // 45 columns for text.
  ['a word that fits exactly', `${'x'.repeat(39)} next`, [`[llm] ${'x'.repeat(39)}`, `${INDENT}next`]],
  [
    'two words that fit exactly',
    `${'x'.repeat(39)} ${'y'.repeat(45)} z`,
    [`[llm] ${'x'.repeat(39)}`, `${INDENT}${'y'.repeat(45)}`, `${INDENT}z`],
  ],
  [
    'indented lines',
    'code:\n  if x:\n    y()\n\nend',
    ['[llm] code:', `${INDENT}  if x:`, `${INDENT}    y()`, '', `${INDENT}end`],
  ],
  ['many blanks', `a${' '.repeat(100)}b`, ['[llm] a', `${INDENT}b`]],
])('tail wraps %s', (_, message, lines) => {
  expect(block(message)).toStrictEqual(lines);
});

/** Columns in a terminal that draws every part of a character on its own. */
function widestColumns(line: string): number {
  const drawn = line.replaceAll(/\u200D|\uFE0E|\uFE0F|\u20E3|[\u{E0020}-\u{E007F}]|\p{Mn}/gu, '');
  const wide = drawn.match(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}/gu) ?? [];
  return codePointLength(drawn) + wide.length;
}

test.each([
  ['skin tones', '👩🏽'],
  ['families', '👩‍👩‍👧'],
  ['flags', '🇩🇪'],
  ['marks that take a column in some terminals', 'की'],
  ['many such marks', 'कीीीीीी'],
])(
  'a line with %s does not run into the next one, where it could look like a notification',
  (_, character) => {
    const forged = '10:30:00 ERROR [safety] forged';
    for (let count = 1; count < 40; count += 1) {
      for (const message of [
        `${character.repeat(count)} ${forged}`,
        `${`${character} `.repeat(count)}${forged}`,
      ]) {
        const shown = terminalBlock(sampleNotification(message), COLUMNS, false);
        expect(shown.replaceAll(/\s/g, '')).toContain(message.replaceAll(/\s/g, ''));
        const line = shown.split('\n').find((each) => each.includes('10:30:00'));
        expect(widestColumns(line ?? '')).toBeLessThanOrEqual(COLUMNS);
      }
    }
  },
);
