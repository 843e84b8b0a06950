import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { sampleNotification } from '../testing/delivery.ts';
import { openNewest } from './file-reader.ts';
import { follow } from './follow.ts';
import { alertSequence, detectAlert } from './terminal-alert.ts';

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
