import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { sampleNotification } from '../../testing/delivery.ts';
import { linesIn, sortedMessages } from '../../testing/written-lines.ts';
import { parseJsonLine } from '../../notification/json-line.ts';
import { lastLines, openFile } from '../../tail/file-reader.ts';
import { follow } from '../../tail/follow.ts';
import { isFollowed, markFollowed } from './followers.ts';
import { jsonLinesFile } from './file.ts';

/** A file of up to a megabyte, beside two rotated ones. */
function sinkAt(path: string, options: Partial<Parameters<typeof jsonLinesFile>[0]> = {}) {
  return jsonLinesFile({ path, maxSize: 1_000_000, keep: 2, report: () => undefined, ...options });
}

/** The file and the rotated files, newest first. */
function filesAt(path: string): string[] {
  return [path, ...globSync(`${path}.*`).filter((file) => /\.\d+$/.test(file))];
}

function openFilesIn(folder: string): string[] {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // The descriptor that read this folder is closed by now.
      return '';
    }
  });
  return links.filter((path) => path.startsWith(`${folder}/`));
}

test('a new file has mode 0600 in a folder with mode 0700', async () => {
  const file = join(temporaryFolder(), 'new/folder/notify.jsonl');
  const sink = sinkAt(file);
  await sink.deliver([sampleNotification('a'), sampleNotification('b')]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(sortedMessages(linesIn(file))).toStrictEqual(['a', 'b']);
});

test('a file that another program moved is created again', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  const sink = sinkAt(file);
  await sink.deliver([sampleNotification('a')]);
  renameSync(file, `${file}.bak`);
  await sink.deliver([sampleNotification('b')]);
  expect(sortedMessages(linesIn(file))).toStrictEqual(['b']);
  expect(sortedMessages(linesIn(`${file}.bak`))).toStrictEqual(['a']);
});

test('rotation keeps the configured number of files and closes the old ones', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  const sink = sinkAt(file, { maxSize: 300 });
  for (const message of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
    await sink.deliver([sampleNotification(message)]);
  expect(filesAt(file).map((each) => sortedMessages(linesIn(each)))).toStrictEqual([
    ['g'],
    ['e', 'f'],
    ['c', 'd'],
  ]);
  expect(globSync(`${file}*.lock`)).toStrictEqual([]);
  if (existsSync('/proc/self/fd')) expect(openFilesIn(dirname(file))).toStrictEqual([]);
});

test('a follower reads all lines in order while each one rotates the file', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  const sink = sinkAt(file, { maxSize: 1, keep: 100 });
  const messages = Array.from({ length: 80 }, (_, index) => `${index}`);
  await sink.deliver([sampleNotification('0')]);
  const first = await openFile(file, 'start');
  const closed = new AbortController();
  const read: (string | undefined)[] = [];
  const reading = (async () => {
    for await (const line of follow(file, first, () => undefined, closed.signal)) {
      read.push(parseJsonLine(line)?.message);
      if (read.at(-1) === messages.at(-1)) closed.abort();
    }
  })();
  for (const message of messages.slice(1)) await sink.deliver([sampleNotification(message)]);
  await reading;
  expect(read).toStrictEqual(messages);
});

test('rotation follows a symbolic link: the link stays, and the files are beside its target', async () => {
  const folder = temporaryFolder();
  const [target, link] = [join(folder, 'disk/notes.jsonl'), join(folder, 'notify.jsonl')];
  mkdirSync(dirname(target));
  // The target does not exist yet.
  symlinkSync(target, link);
  const sink = sinkAt(link, { maxSize: 300 });
  for (const message of ['a', 'b', 'c']) await sink.deliver([sampleNotification(message.repeat(150))]);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readdirSync(folder).toSorted()).toStrictEqual(['disk', 'notify.jsonl']);
  expect(filesAt(target)).toHaveLength(3);
  const newest = await openFile(link, 'end');
  const read = await lastLines(link, newest, 3, (line) => parseJsonLine(line)?.message[0]);
  await newest?.close();
  expect(read).toStrictEqual(['a', 'b', 'c']);
  markFollowed(link);
  expect(isFollowed(target, new Date())).toBe(true);
});

test('a line that an earlier process left torn does not swallow the next notification', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  writeFileSync(file, '{"time":"2026-11-21T10:30:00.000Z","level":"inf');
  const sink = sinkAt(file);
  await sink.deliver([sampleNotification('kept')]);
  expect(linesIn(file).map((line) => parseJsonLine(line)?.message)).toStrictEqual(['kept']);
});

test('a file that cannot be rotated grows, loses nothing, and is reported once', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  // A folder with this name is in the way, of root too.
  mkdirSync(`${file}.1`);
  const reports: string[] = [];
  const sink = sinkAt(file, { maxSize: 300, keep: 1, report: (each) => void reports.push(each) });
  for (const message of ['a', 'b', 'c', 'd', 'e']) await sink.deliver([sampleNotification(message)]);
  expect(sortedMessages(linesIn(file))).toStrictEqual(['a', 'b', 'c', 'd', 'e']);
  expect(reports).toStrictEqual([expect.stringMatching(/cannot be rotated and grows/)]);
});

test.skipIf(process.platform === 'win32')(
  'a named pipe without a reader is an error at once, and stays open for one',
  async () => {
    const path = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    const sink = sinkAt(path);
    await expect(sink.deliver([sampleNotification('a')])).rejects.toThrow(/ENXIO/);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(reader));
    await sink.deliver([sampleNotification('b')]);
    expect(readSync(reader, Buffer.alloc(1000))).toBeGreaterThan(0);
    expect(() => readSync(reader, Buffer.alloc(1000))).toThrow('EAGAIN');
  },
);

test('a file that other users can read is reported once', async () => {
  const file = join(temporaryFolder(), 'notify.jsonl');
  writeFileSync(file, '', { mode: 0o644 });
  const reports: string[] = [];
  const sink = sinkAt(file, { report: (each) => void reports.push(each) });
  for (const message of ['a', 'b']) await sink.deliver([sampleNotification(message)]);
  expect(reports).toStrictEqual([`Other users can use ${file}. Run: chmod 600 ${file}`]);
});

test('a file that cannot be looked at is not followed', () => {
  expect(isFollowed(join(temporaryFolder(), 'x'.repeat(300)), new Date())).toBe(false);
});
