import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { publish, removeOlder, socketAddress } from './listening.ts';
import {
  type DeskRecord,
  deskFolder,
  latestRecord,
  openDeskFolder,
  recordFile,
  UnsafePath,
} from './record.ts';

const uid = process.getuid?.();

function place() {
  const folder = deskFolder(temporaryFolder());
  openDeskFolder(folder, uid);
  return { folder, platform: 'linux', uid } as const;
}

const record = (number: number, pid = 1): DeskRecord => ({
  number,
  address: `/run/${number}.sock`,
  secret: 'a secret of a good length',
  pid,
});

test('a folder without a desk has number 0, also if it does not exist', () => {
  expect(latestRecord(place().folder, uid)).toStrictEqual({ number: 0 });
  expect(latestRecord(join(temporaryFolder(), 'none'), uid)).toStrictEqual({ number: 0 });
});

test('the folder and the record are private to the user', async () => {
  const desk = place();
  await publish(desk, record(1));
  expect(statSync(desk.folder).mode & 0o777).toBe(0o700);
  expect(statSync(recordFile(desk.folder, 1)).mode & 0o777).toBe(0o600);
  expect(readdirSync(desk.folder)).toStrictEqual(['1.json']);
});

test('of 20 desks that publish the same number at once exactly one wins', async () => {
  const desk = place();
  const wins = await Promise.all(Array.from({ length: 20 }, (_, pid) => publish(desk, record(7, pid))));
  expect(wins.filter(Boolean)).toHaveLength(1);
  expect(latestRecord(desk.folder, uid).record).toStrictEqual(record(7, wins.indexOf(true)));
});

test('a slow desk does not win with a number whose record was deleted', async () => {
  const desk = place();
  await publish(desk, record(1));
  await publish(desk, record(3));
  await removeOlder(desk.folder, 3);
  expect(await publish(desk, record(2))).toBe(false);
  expect(readdirSync(desk.folder)).toStrictEqual(['3.json']);
});

test('a desk removes the sockets and records of earlier desks, and nothing else', async () => {
  const { folder } = place();
  for (const name of ['9-0a1b.sock', '10-2c3d.sock', '10.json', '9.json', 'notes.txt'])
    writeFileSync(join(folder, name), '');
  await removeOlder(folder, 10);
  expect(readdirSync(folder).toSorted()).toStrictEqual(['10-2c3d.sock', '10.json', 'notes.txt']);
});

test.each([
  '',
  '{"address":"/run/1.sock","secr',
  '[]',
  '{"address":1}',
  '{"address":"/x","secret":"short","pid":1}',
])('a damaged record (%s) names no desk, but its number is used', (content) => {
  const { folder } = place();
  writeFileSync(recordFile(folder, 4), content, { mode: 0o600 });
  expect(latestRecord(folder, uid)).toStrictEqual({ number: 4 });
});

test.skipIf(uid === undefined)(
  'a folder or a record that other users can use is refused with the remedy',
  async () => {
    const desk = place();
    await publish(desk, record(1));
    chmodSync(recordFile(desk.folder, 1), 0o644);
    expect(() => latestRecord(desk.folder, uid)).toThrow(`Run: chmod 600 '${recordFile(desk.folder, 1)}'`);
    chmodSync(desk.folder, 0o755);
    expect(() => openDeskFolder(desk.folder, uid)).toThrow(`Run: chmod 700 '${desk.folder}'`);
    expect(() => latestRecord(desk.folder, uid)).toThrow(UnsafePath);
  },
);

test.skipIf(uid === undefined)('a folder of another user, and a link to a folder, are refused', () => {
  const { folder } = place();
  expect(() => openDeskFolder(folder, 12_345)).toThrow(/belongs to another user/);
  const target = join(temporaryFolder(), 'target');
  mkdirSync(target, { mode: 0o700 });
  const link = join(temporaryFolder(), 'desk');
  symlinkSync(target, link);
  expect(() => openDeskFolder(link, uid)).toThrow(UnsafePath);
});

test('on Windows the address is a pipe, and the mode of the folder is not checked', () => {
  const folder = String.raw`C:\Users\ada\AppData\Local\deskside\Data\desk`;
  const address = socketAddress({ folder, platform: 'win32', uid: undefined }, '3-0a1b2c3d');
  expect(address).toBe(String.raw`\\.\pipe\deskside-3-0a1b2c3d`);
  const { folder: open } = place();
  chmodSync(open, 0o755);
  expect(() => openDeskFolder(open, undefined)).not.toThrow();
});

test('on Windows the pipe of a desk that has ended is not used: another user may have taken its name', async () => {
  const desk = place();
  const { pid } = spawnSync(process.execPath, ['--version']);
  await publish(desk, record(1, pid));
  expect(latestRecord(desk.folder, undefined)).toStrictEqual({ number: 1 });
  await publish(desk, record(2, process.pid));
  expect(latestRecord(desk.folder, undefined)).toStrictEqual({ number: 2, record: record(2, process.pid) });
});

test.skipIf(uid === undefined)(
  'a folder with a long path has its socket in the private temporary folder',
  () => {
    const folder = join(temporaryFolder(), 'x'.repeat(90));
    const address = socketAddress({ folder, platform: 'linux', uid }, '1-0a1b2c3d');
    expect(Buffer.byteLength(address)).toBeLessThan(104);
    expect(address).toContain(`deskside-${uid}`);
  },
);
