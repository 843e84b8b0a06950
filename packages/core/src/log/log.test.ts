import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { visible } from './visible.ts';

const now = () => new Date('2026-11-21T10:00:00Z');

test('one line of JSON each, from the level on', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', write: (line) => lines.push(line), now });
  log.error('failed', { cause: 7 });
  log.warn('odd');
  log.info('not this');
  expect(lines).toStrictEqual([
    '{"time":"2026-11-21T10:00:00.000Z","level":"error","message":"failed","cause":7}\n',
    '{"time":"2026-11-21T10:00:00.000Z","level":"warn","message":"odd"}\n',
  ]);
});

test('no text makes a second line or acts on a terminal', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line), now });
  log.info('a\nb\r\u2028c\u{E0041}', {
    error: new Error('\u001B[31m\u0085red\u202E', { cause: new Error('why') }),
  });
  const [line = ''] = lines;
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(line.slice(0, -1)).toBe(visible(line.slice(0, -1)));
  expect(JSON.parse(line).message).toBe('a\nb\r\u2028c\u{E0041}');
  expect(line).toContain('caused by Error: why');
});

test.each([
  ['\u001B]52;c;x\u0007', '\\u{1b}]52;c;x\\u{7}'],
  ['a\u202Eb\u200Bc\u{E0041}', 'a\\u{202e}b\\u{200b}c\\u{e0041}'],
  ['a\u3164b\u115F\uFFA0', 'a\\u{3164}b\\u{115f}\\u{ffa0}'],
  ['a\uFFF9b\uFFFB', 'a\\u{fff9}b\\u{fffb}'],
  ['a\uD800b', 'a\\u{d800}b'],
  ['❤️ 한국 नमस्ते', '❤️ 한국 नमस्ते'],
  ['Zoë 😀 \\ "x"', 'Zoë 😀 \\ "x"'],
])('%j is shown as %j', (text, shown) => {
  expect(visible(text)).toBe(shown);
});
