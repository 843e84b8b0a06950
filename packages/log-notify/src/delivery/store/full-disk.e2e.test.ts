import { join } from 'node:path';
import { rmSync, writeFileSync } from 'node:fs';
import { systemClock } from '@deskside/core/base';
import { expect, test } from 'vitest';
import { sampleNotification } from '../../testing/delivery.ts';
import { canMount, smallDisk } from '@deskside/testkit/small-disk';
import type { SinkRecords } from './sink-records.ts';
import { Store } from './store.ts';

const KB = 1024;

/** A spool on a small disk, and a file that fills the disk. */
function smallStore() {
  const disk = smallDisk(64);
  const filler = join(disk, 'filler');
  return {
    folder: join(disk, 'spool'),
    fill() {
      for (let pages = 16; pages > 0; pages -= 1) {
        if (isWritten(() => writeFileSync(filler, Buffer.alloc(pages * 4 * KB)))) return;
      }
    },
    makeRoom: () => rmSync(filler),
  };
}

function isWritten(write: () => void): boolean {
  try {
    write();
    return true;
  } catch {
    return false;
  }
}

/** @returns how it is delivered */
function accept(spool: Store, sink: SinkRecords, message: string): () => void {
  const delivery = sink.add(sampleNotification(message));
  spool.accept(delivery.notification);
  return () => sink.done([delivery]);
}

function messagesOf(folder: string): readonly string[] {
  const next = new Store({
    folder,
    clock: systemClock,
    owner: { id: 2, isRunning: () => false, files: new Set() },
    report: (sentence) => expect.unreachable(sentence),
  });
  const messages: string[] = [];
  next.claim(
    new Date(1),
    (sink) => ({ to: sink }),
    ({ notifications }) => messages.push(...notifications.map(({ notification }) => notification.message)),
  );
  return messages;
}

test.skipIf(!canMount).each(['with the next notification', 'at the end'])(
  'what a full disk refused is stored when it has room: %s',
  (when) => {
    const { folder, fill, makeRoom } = smallStore();
    const reports: string[] = [];
    const owner = { id: 1, isRunning: () => true, files: new Set<string>() };
    const spool = new Store({
      folder,
      clock: systemClock,
      owner,
      report: (sentence) => void reports.push(sentence),
    });
    const sink = spool.sink('ntfy');
    const deliver = accept(spool, sink, `delivered ${'x'.repeat(4 * KB)}`);
    fill();
    const refused = ['first', 'second', 'third'].map((name) => `${name} ${'x'.repeat(4 * KB)}`);
    const [deliverFirst] = refused.map((message) => accept(spool, sink, message));
    deliverFirst?.();
    deliver();
    expect(reports).toStrictEqual([expect.stringMatching(/cannot be written \(ENOSPC\)/)]);
    makeRoom();
    if (when === 'at the end') {
      spool.close();
      expect(spool.waiting.unwritten).toBe(0);
      expect(messagesOf(folder)).toStrictEqual(refused.slice(1));
    } else {
      accept(spool, sink, 'next');
      expect(messagesOf(folder)).toStrictEqual([...refused.slice(1), 'next']);
      spool.close();
    }
  },
);

test.skipIf(!canMount)('a server that ends on a full disk counts what it could not store', () => {
  const { folder, fill } = smallStore();
  const owner = { id: 1, isRunning: () => true, files: new Set<string>() };
  const spool = new Store({ folder, clock: systemClock, owner, report: () => undefined });
  const sink = spool.sink('ntfy');
  accept(spool, sink, 'stored');
  fill();
  for (const name of ['first', 'second']) accept(spool, sink, `${name} ${'x'.repeat(8 * KB)}`);
  spool.close();
  expect(spool.waiting.unwritten).toBe(2);
  expect(messagesOf(folder)).toStrictEqual(['stored']);
});
