import { join } from 'node:path';
import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sampleNotification } from '../../testing/delivery.ts';
import { canMount, smallDisk } from '../../testing/small-disk.ts';
import { Spool } from './spool.ts';

const KB = 1024;

/** A spool on a small disk, and a file that fills the disk. */
function smallSpool() {
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

function accept(spool: Spool, message: string): number {
  const ticket = spool.nextTicket();
  spool.accept(ticket, sampleNotification(message), new Map([['ntfy', 'queued']]));
  return ticket;
}

function messagesOf(folder: string): readonly string[] {
  const next = new Spool({
    folder,
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
    const { folder, fill, makeRoom } = smallSpool();
    const reports: string[] = [];
    const owner = { id: 1, isRunning: () => true, files: new Set<string>() };
    const spool = new Spool({ folder, owner, report: (sentence) => void reports.push(sentence) });
    const delivered = accept(spool, `delivered ${'x'.repeat(4 * KB)}`);
    fill();
    const refused = ['first', 'second', 'third'].map((name) => `${name} ${'x'.repeat(4 * KB)}`);
    const [first = 0] = refused.map((message) => accept(spool, message));
    spool.done('ntfy', [first, delivered]);
    expect(reports).toStrictEqual([expect.stringMatching(/cannot be written \(ENOSPC\)/)]);
    makeRoom();
    if (when === 'at the end') {
      expect(spool.close()).toBe(0);
      expect(messagesOf(folder)).toStrictEqual(refused.slice(1));
    } else {
      accept(spool, 'next');
      expect(messagesOf(folder)).toStrictEqual([...refused.slice(1), 'next']);
      spool.close();
    }
  },
);

test.skipIf(!canMount)('a server that ends on a full disk counts what it could not store', () => {
  const { folder, fill } = smallSpool();
  const owner = { id: 1, isRunning: () => true, files: new Set<string>() };
  const spool = new Spool({ folder, owner, report: () => undefined });
  accept(spool, 'stored');
  fill();
  for (const name of ['first', 'second']) accept(spool, `${name} ${'x'.repeat(8 * KB)}`);
  expect(spool.close()).toBe(2);
  expect(messagesOf(folder)).toStrictEqual(['stored']);
});
