import { spawnSync } from 'node:child_process';
import { chmodSync, lchownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '@deskside/testkit';
import { openFolder } from '../files/owner.ts';
import { publish } from './holder.ts';
import { type HolderRecord, latestRecord, recordFile } from './record.ts';

const uid = process.getuid?.();

function place() {
  const opened = { folder: join(temporaryFolder(), 'desk'), uid };
  openFolder(opened.folder);
  return opened;
}

const record = (number: number, pid = 1): HolderRecord => ({
  number,
  address: `/run/${number}.sock`,
  secret: 'a secret of a good length',
  pid,
});

test('a place without a holder has number 0, also if its folder does not exist', () => {
  expect(latestRecord(place())).toStrictEqual({ number: 0 });
  expect(latestRecord({ folder: join(temporaryFolder(), 'none'), uid })).toStrictEqual({ number: 0 });
});

test('a holder removes the socket of the one before, and nothing else', async () => {
  const desk = place();
  const { folder } = desk;
  const names = ['9-0a1b.sock', '10-2c3d.sock', 'notes.txt'];
  for (const name of names) writeFileSync(join(folder, name), '');
  await publish(desk, { ...record(9), address: join(folder, '9-0a1b.sock') });
  expect(await publish(desk, { ...record(10), address: join(folder, '10-2c3d.sock') })).toBe(true);
  expect(await publish(desk, record(10))).toBe(false);
  expect(readdirSync(folder).toSorted()).toStrictEqual(['10-2c3d.sock', 'holder.json', 'notes.txt']);
});

test.each(['', '{"number":4,"address":"/run/1.sock","secr', '{"number":4,"address":"/x","pid":1}'])(
  'a damaged record (%s) names no holder, and the next holder replaces it',
  async (content) => {
    const desk = place();
    writeFileSync(recordFile(desk), content, { mode: 0o600 });
    expect(latestRecord(desk)).toStrictEqual({ number: 0 });
    expect(await publish(desk, record(1))).toBe(true);
    expect(latestRecord(desk)).toStrictEqual({ number: 1, record: record(1) });
  },
);

test.skipIf(uid === undefined)('a folder that other users can use is refused with the remedy', () => {
  const desk = place();
  chmodSync(desk.folder, 0o755);
  expect(() => openFolder(desk.folder)).toThrow(/Run: chmod 700 .*desk/);
  expect(() => latestRecord(desk)).toThrow(/Other users can use/);
});

test.skipIf(uid === undefined)(
  'a folder of another user is refused, and a link of this user is followed',
  () => {
    const { folder } = place();
    expect(() => openFolder(folder, 12_345)).toThrow(/belongs to another user/);
    expect(() => latestRecord({ folder, uid: 12_345 })).toThrow(/belongs to another user/);
    const target = join(temporaryFolder(), 'target');
    mkdirSync(target, { mode: 0o700 });
    const link = join(temporaryFolder(), 'desk');
    symlinkSync(target, link);
    openFolder(link);
    expect(latestRecord({ folder: link, uid })).toStrictEqual({ number: 0 });
    chmodSync(target, 0o755);
    expect(() => openFolder(link)).toThrow(`Other users can use ${link}. Run: chmod 700 `);
  },
);

test.skipIf(uid !== 0)('a link of another user is refused, whatever it leads to', () => {
  const link = join(temporaryFolder(), 'desk');
  symlinkSync(place().folder, link);
  lchownSync(link, 12_345, 12_345);
  expect(() => openFolder(link)).toThrow(/belongs to another user/);
  expect(() => latestRecord({ folder: link, uid })).toThrow(/belongs to another user/);
});

test('on Windows the pipe of a process that has ended is not used: another user may have taken its name', async () => {
  const { folder } = place();
  const desk = { folder, uid: undefined };
  const { pid } = spawnSync(process.execPath, ['--version']);
  await publish(desk, record(1, pid));
  expect(latestRecord(desk)).toStrictEqual({ number: 1 });
  await publish(desk, record(2, process.pid));
  expect(latestRecord(desk)).toStrictEqual({ number: 2, record: record(2, process.pid) });
});
