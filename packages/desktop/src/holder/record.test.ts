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

test('a holder removes the sockets and records of earlier holders, and nothing else', async () => {
  const desk = place();
  const { folder } = desk;
  const names = ['9-0a1b.sock', '9-5e6f.sock', '10-2c3d.sock', '11-2c3d.sock', '9.json', 'notes.txt'];
  for (const name of names) writeFileSync(join(folder, name), '');
  // Cannot be deleted, as a file on Windows that another program has open.
  mkdirSync(join(folder, '8.json'));
  // It has taken a further number with the same socket.
  expect(await publish(desk, { ...record(10), address: join(folder, '9-5e6f.sock') })).toBe(true);
  const left = ['10-2c3d.sock', '10.json', '11-2c3d.sock', '8.json', '9-5e6f.sock', 'notes.txt'];
  expect(readdirSync(folder).toSorted()).toStrictEqual(left);
});

test.each(['', '{"address":"/run/1.sock","secr', '{"address":"/x","secret":"15 characters--","pid":1}'])(
  'a damaged record (%s) names no holder, but its number is used',
  (content) => {
    const desk = place();
    writeFileSync(recordFile(desk.folder, 4), content, { mode: 0o600 });
    expect(latestRecord(desk)).toStrictEqual({ number: 4 });
  },
);

test.skipIf(uid === undefined)(
  'a folder or a record that other users can use is refused with the remedy',
  async () => {
    const desk = place();
    await publish(desk, record(1));
    chmodSync(recordFile(desk.folder, 1), 0o644);
    expect(() => latestRecord(desk)).toThrow(/Run: chmod 600 .*1\.json/);
    chmodSync(desk.folder, 0o755);
    expect(() => openFolder(desk.folder)).toThrow(/Run: chmod 700 .*desk/);
    expect(() => latestRecord(desk)).toThrow(/Other users can use/);
  },
);

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
