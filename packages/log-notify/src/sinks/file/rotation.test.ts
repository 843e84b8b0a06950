import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { identityOf, rotate } from './rotation.ts';

test('who comes late does not rotate again, whether the new file is there yet or not', async () => {
  const path = join(temporaryFolder(), 'notify.jsonl');
  writeFileSync(path, 'full\n');
  const full = await identityOf(path);
  if (full === undefined) throw new Error('no file');
  await rotate(path, full, 3);
  expect(existsSync(`${path}.1`)).toBe(true);
  await rotate(path, full, 3);
  writeFileSync(path, 'new\n');
  await rotate(path, full, 3);
  expect(existsSync(path)).toBe(true);
  expect(existsSync(`${path}.2`)).toBe(false);
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test('while another process rotates, nothing is renamed', async () => {
  const path = join(temporaryFolder(), 'notify.jsonl');
  writeFileSync(path, 'full\n');
  writeFileSync(`${path}.lock`, '');
  const full = await identityOf(path);
  if (full === undefined) throw new Error('no file');
  await rotate(path, full, 3);
  expect(existsSync(`${path}.1`)).toBe(false);
  renameSync(`${path}.lock`, `${path}.gone`);
  await rotate(path, full, 3);
  expect(existsSync(`${path}.1`)).toBe(true);
});
