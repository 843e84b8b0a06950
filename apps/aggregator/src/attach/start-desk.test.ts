import { openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { withLimit } from './start-desk.ts';

test('the log of a desk has a limit while the desk writes it, and the newest lines stay', () => {
  const file = join(temporaryFolder(), 'desk.log');
  const log = openSync(file, 'a', 0o600);
  const write = withLimit(file, (text) => void writeSync(log, text));
  for (const letter of ['a', 'b', 'c', 'd', 'e']) write(`${letter.repeat(400_000)}\n`);
  expect(readFileSync(`${file}.1`, 'utf8')).toMatch(/^a+\nb+\nc+\n$/);
  expect(readFileSync(file, 'utf8')).toMatch(/^d+\ne+\n$/);
  write('f'.repeat(400_000));
  expect(readFileSync(`${file}.1`, 'utf8')).toMatch(/^d+\ne+\nf+$/);
  expect(statSync(`${file}.1`).mode & 0o777).toBe(0o600);
  expect(statSync(file).size).toBe(0);
});

test('a desk whose stderr is no log file writes on', () => {
  const file = join(temporaryFolder(), 'none', 'desk.log');
  const written: string[] = [];
  withLimit(file, (text) => void written.push(text))('line\n');
  expect(written).toStrictEqual(['line\n']);
});
