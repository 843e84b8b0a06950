import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { parseJsonLine } from '../../notification/json-line.ts';
import { sampleNotification } from '../../testing/delivery.ts';
import { canMount, smallDisk } from '@deskside/testkit/small-disk';
import { linesIn, sortedMessages } from '../../testing/written-lines.ts';
import { PartlyDelivered } from '../sink.ts';
import { jsonLinesFile } from './file.ts';

const WRITER = join(import.meta.dirname, '../../testing/file-writer.ts');
const MEGABYTE = 1_000_000;

test('two processes rotate one file without a lost line', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  const [labels, count] = [['left', 'right'], 5000];
  const settings = [String(count), '100000', '100'];
  const writers = labels.map((label) =>
    startProgram({ command: process.execPath, args: [WRITER, file, label, ...settings] }),
  );
  await Promise.all(writers.map((writer) => writer.printed(/ready/)));
  for (const writer of writers) writer.child.stdin.write('go\n');
  expect(await Promise.all(writers.map((writer) => writer.exited))).toStrictEqual([0, 0]);
  const rotated = globSync(`${file}.*`).filter((each) => /\.\d+$/.test(each));
  expect(rotated.length).toBeGreaterThanOrEqual(10);
  // Each file was rotated by one process only, when it was full.
  for (const each of rotated) expect(statSync(each).size).toBeGreaterThan(80_000);
  const all = labels.flatMap((label) => Array.from({ length: count }, (_, index) => `${label} ${index}`));
  expect(sortedMessages([file, ...rotated].flatMap(linesIn))).toStrictEqual(all.toSorted());
});

test.skipIf(!canMount)('on a full disk, complete lines stay and the rest can be written later', async () => {
  const folder = smallDisk(16);
  const file = join(folder, 'notify.jsonl');
  const sink = jsonLinesFile({ path: file, maxSize: MEGABYTE, keep: 2, report: () => undefined });
  const batch = Array.from({ length: 20 }, (_, index) => sampleNotification(`${index} ${'x'.repeat(1000)}`));
  const failure: unknown = await sink.deliver(batch).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(PartlyDelivered);
  expect(failure).toMatchObject({ message: expect.stringContaining('ENOSPC') });
  const { count } = failure as PartlyDelivered;
  expect(count).toBeGreaterThan(5);
  execFileSync('mount', ['-o', 'remount,size=1m', folder]);
  await sink.deliver(batch.slice(count));
  const written = linesIn(file)
    .map((line) => parseJsonLine(line))
    .filter((each) => each !== undefined);
  expect(written.map(({ id }) => id)).toStrictEqual(batch.map(({ id }) => id));
});
