import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StartError } from './start-error.ts';
import { keptToken } from './token-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deskside-token-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('of many at once one makes the token, for its owner only, and all get the same', async () => {
  const file = join(folder, 'new', 'token');
  const kept = await Promise.all(Array.from({ length: 10 }, () => keptToken(file)));
  expect(new Set(kept).size).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe(`${kept[0]}\n`);
  expect(kept[0]).toMatch(/^[\w-]{43}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700);
  expect(await keptToken(file)).toBe(kept[0]);
});

test.each(['', ' \n'])('an empty file is not taken for a token', async (content) => {
  const file = join(folder, 'token');
  writeFileSync(file, content);
  await expect(keptToken(file)).rejects.toThrow(/it is empty; delete it/);
});

test.each(['too short', 'two words of some length', 'é'.repeat(20)])(
  'a file that holds %j is refused, since no client could send that',
  async (content) => {
    const file = join(folder, 'token');
    writeFileSync(file, content);
    await expect(keptToken(file)).rejects.toThrow(/it holds no token that can be sent; delete it/);
  },
);

test('a folder in its place stops the start with what to mend', async () => {
  chmodSync(folder, 0o700);
  await expect(keptToken(folder)).rejects.toBeInstanceOf(StartError);
  await expect(keptToken(folder)).rejects.toThrow(/set DESKSIDE_TOKEN/);
});
