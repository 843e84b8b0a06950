import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { openFile, lastLines } from './file-reader.ts';
import { follow } from './follow.ts';

test('follow reads every file of several rotations, in order', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  writeFileSync(file, 'before\n');
  const ended = new AbortController();
  const seen: string[] = [];
  const newest = await openFile(file, 'end');
  expect(await lastLines(file, newest, 1, (line) => line)).toStrictEqual(['before']);
  appendFileSync(file, 'one\n');
  for await (const text of follow(file, newest, ended.signal)) {
    seen.push(text);
    if (text === 'one') {
      renameSync(file, `${file}.3`);
      writeFileSync(`${file}.2`, 'two\n');
      writeFileSync(`${file}.1`, 'three\n');
      writeFileSync(file, 'four\n');
    }
    if (text === 'four') ended.abort();
  }
  expect(seen).toStrictEqual(['one', 'two', 'three', 'four']);
});
