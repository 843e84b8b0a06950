import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { startProgram, temporaryFolder } from '@deskside/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readJsonLine } from '../../message/json-line.ts';
import { follow } from '../../tail/follow.ts';
import { told } from '../../testing/notifications.ts';
import { PartlyDelivered } from '../sink.ts';
import { JsonLinesFile } from './json-lines-file.ts';

const WRITER = join(import.meta.dirname, '../../testing/file-writer.ts');
const MEGABYTE = 1_000_000;

function linesIn(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text.split('\n').slice(0, -1);
}

/** The file and those that were rotated, youngest first. */
function filesAt(path: string): string[] {
  return [path, ...globSync(`${path}.*`).filter((file) => /\.\d+$/.test(file))];
}

async function writeTogether(
  path: string,
  labels: readonly string[],
  count: number,
  maxSize: number,
  keep: number,
) {
  const writers = labels.map((label) =>
    startProgram({
      command: process.execPath,
      args: [WRITER, path, label, String(count), String(maxSize), String(keep)],
    }),
  );
  await Promise.all(writers.map((writer) => writer.printed(/ready/)));
  for (const writer of writers) writer.child.stdin.write('go\n');
  expect(await Promise.all(writers.map((writer) => writer.exited))).toStrictEqual(labels.map(() => 0));
}

function expected(labels: readonly string[], count: number): string[] {
  return labels
    .flatMap((label) => Array.from({ length: count }, (_, index) => `${label} ${index}`))
    .toSorted();
}

function found(lines: readonly string[]): string[] {
  return lines
    .map((line) => readJsonLine(line)?.message.split(' ').slice(0, 2).join(' ') ?? `torn: ${line}`)
    .toSorted();
}

function openFilesIn(folder: string): string[] {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // The descriptor by which the folder itself was read.
      return '';
    }
  });
  return links.filter((path) => path.startsWith(`${folder}/`));
}

test("a new file is the owner's alone, in a folder that is too", async () => {
  const file = join(temporaryFolder(), 'new/folder/notify.jsonl');
  const sink = new JsonLinesFile({ path: file, maxSize: MEGABYTE, keep: 2 });
  await sink.deliver([told('a'), told('b')]);
  await sink.close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(found(linesIn(file))).toStrictEqual(['a', 'b']);
});

test('a file that somebody else moved or removed is made anew', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  const sink = new JsonLinesFile({ path: file, maxSize: MEGABYTE, keep: 2 });
  await sink.deliver([told('a')]);
  execFileSync('mv', [file, `${file}.bak`]);
  await sink.deliver([told('b')]);
  expect(found(linesIn(file))).toStrictEqual(['b']);
  expect(found(linesIn(`${file}.bak`))).toStrictEqual(['a']);
  await sink.close();
});

test('old files are kept up to their number, and the oldest goes', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  const sink = new JsonLinesFile({ path: file, maxSize: 300, keep: 2 });
  for (const message of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await sink.deliver([told(message)]);
  expect(filesAt(file).map((each) => found(linesIn(each)))).toStrictEqual([['g'], ['e', 'f'], ['c', 'd']]);
  expect(existsSync(`${file}.lock`)).toBe(false);
  if (existsSync('/proc/self/fd')) expect(openFilesIn(dirname(file))).toStrictEqual([file]);
  await sink.close();
});

test('two processes write one file without a torn or lost line', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  await writeTogether(file, ['left', 'right'], 10_000, 1000 * MEGABYTE, 1);
  expect(found(linesIn(file))).toStrictEqual(expected(['left', 'right'], 10_000));
});

test('they rotate it under load without a lost line, and whoever follows it sees each once', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  const seen: string[] = [];
  const everything = expected(['left', 'right'], 5000);
  const ended = new AbortController();
  const followed = (async () => {
    for await (const line of follow(file, undefined, ended.signal)) {
      seen.push(line);
      if (seen.length === everything.length) ended.abort();
    }
  })();
  await writeTogether(file, ['left', 'right'], 5000, 100_000, 100);
  const files = filesAt(file);
  expect(files.length).toBeGreaterThan(10);
  // Each was rotated once, by one of the two, when it was full.
  for (const rotated of files.slice(1)) expect(statSync(rotated).size).toBeGreaterThan(80_000);
  expect(found(files.flatMap(linesIn))).toStrictEqual(everything);
  await followed;
  expect(found(seen)).toStrictEqual(everything);
});

test('a lock that a dead process left holds a rotation up for ten seconds at most', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  const sink = new JsonLinesFile({ path: file, maxSize: 100, keep: 2 });
  writeFileSync(`${file}.lock`, '');
  execFileSync('touch', ['-d', '1 minute ago', `${file}.lock`]);
  for (const message of ['a', 'b', 'c']) await sink.deliver([told(message)]);
  expect(found(linesIn(file))).toStrictEqual(['c']);
  await sink.close();
});

/** A disk with a few kilobytes. */
function smallDisk(): string {
  const folder = temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', [folder]));
  return folder;
}

describe("where it can't be written", () => {
  const canMount = process.getuid?.() === 0 && spawnSync('mount', ['--version']).status === 0;

  test.skipIf(!canMount)(
    'a full disk: what fits is kept, the rest can be tried again, no line is torn',
    async () => {
      const folder = smallDisk();
      const file = join(folder, 'notify.jsonl');
      const sink = new JsonLinesFile({ path: file, maxSize: MEGABYTE, keep: 2 });
      const batch = Array.from({ length: 20 }, (_, index) => told(`${index} ${'x'.repeat(1000)}`));
      const failure: unknown = await sink.deliver(batch).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(PartlyDelivered);
      expect(failure).toMatchObject({ message: expect.stringContaining('ENOSPC') });
      const { count } = failure as PartlyDelivered;
      expect(count).toBeGreaterThan(5);
      execFileSync('mount', ['-o', 'remount,size=1m', folder]);
      await sink.deliver(batch.slice(count));
      await sink.close();
      const lines = linesIn(file).filter((line) => readJsonLine(line) !== undefined);
      expect(lines.map((line) => readJsonLine(line)?.id)).toStrictEqual(batch.map(({ id }) => id));
    },
  );

  test('a device that is always full', async () => {
    const sink = new JsonLinesFile({ path: '/dev/full', maxSize: MEGABYTE, keep: 2 });
    await expect(sink.deliver([told('a')])).rejects.toMatchObject({
      count: 0,
      message: expect.stringContaining('ENOSPC'),
    });
    await sink.close();
  });

  test('a folder that is a file', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const sink = new JsonLinesFile({ path: join(folder, 'file/notify.jsonl'), maxSize: MEGABYTE, keep: 2 });
    await expect(sink.deliver([told('a')])).rejects.toThrow(/ENOTDIR/);
  });

  test.skipIf(process.getuid?.() !== 0)('a read-only file of somebody else', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'logs'));
    const file = join(folder, 'logs/notify.jsonl');
    writeFileSync(file, '', { mode: 0o444 });
    const run = spawnSync(process.execPath, [WRITER, file, 'nobody', '1', '1000', '1'], {
      input: 'go\n',
      encoding: 'utf8',
      uid: 65_534,
      gid: 65_534,
    });
    expect(run.stderr).toMatch(/EACCES/);
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});
