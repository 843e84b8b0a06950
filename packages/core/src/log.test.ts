import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { escapeInvisible } from './text/index.ts';

const now = () => new Date('2026-11-21T10:00:00Z');

test('the log writes one line of JSON per entry, at its level and above', () => {
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

test('no text in an entry starts a second line or controls a terminal', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line), now });
  const error = new Error('\u001B[31m\u0085red\u202E', { cause: new Error('why') });
  log.info('a\nb\r\u2028c\u{E0041}', { error });
  const [line = ''] = lines;
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(line.slice(0, -1)).toBe(escapeInvisible(line.slice(0, -1)));
  expect(JSON.parse(line).message).toBe('a\nb\r\u2028c\u{E0041}');
  expect(JSON.parse(line).error).toContain(error.stack);
  expect(line).toContain('caused by Error: why');
});
