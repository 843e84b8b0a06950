import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { fixedClock } from '@deskside/core/testing';
import { DeskDatabase } from '@deskside/desktop';
import { temporaryFolder } from '@deskside/testkit';
import { canMount, smallDisk } from '@deskside/testkit/small-disk';
import { expect, test } from 'vitest';
import { MemorySink } from '../testing/delivery.ts';
import { Deliveries } from './deliveries.ts';
import { Dispatcher } from './dispatcher.ts';

const KB = 1024;
const OFF = ['stderr', 'file', 'desktop'].map((sink) => `[${sink}]\nenabled = false\n`).join('');

/** A server whose desk database is on a small disk, and a file that fills the disk. */
function serverOnSmallDisk(hasRuntimeFolder: boolean) {
  const disk = smallDisk(512);
  const other = temporaryFolder();
  const config = join(other, 'log-notify.toml');
  writeFileSync(config, `${OFF}[[webhook]]\nurl = "https://example.org/hook"\nrate = false\nfold = false\n`);
  const clock = fixedClock('2026-11-21T12:00:00Z');
  const sink = new MemorySink();
  const reports: string[] = [];
  const filler = join(disk, 'filler');
  let started = 0;
  return {
    clock,
    reports,
    sink,
    start() {
      started += 1;
      const runtime = hasRuntimeFolder ? [join(other, 'runtime')] : [];
      const database = new DeskDatabase({
        places: { state: join(disk, 'state'), runtime },
        log: silentLog,
        clock,
      });
      const owner = { id: `${started}`, hasEnded: (id: string) => id !== `${started}` };
      const dispatcher = new Dispatcher({
        config,
        mustExist: true,
        overrides: { filter: undefined, file: undefined },
        defaultFile: '/nowhere',
        clock,
        open: () => sink,
        deliveries: new Deliveries(database, clock, owner),
        report: (sentence) => void reports.push(sentence),
      });
      const close = async () => {
        await dispatcher.close();
        await database[Symbol.asyncDispose]();
      };
      return { dispatcher, close };
    },
    fill() {
      for (let pages = 128; pages > 0; pages -= 1) {
        try {
          return writeFileSync(filler, Buffer.alloc(pages * 4 * KB));
        } catch {
          // It is too much.
        }
      }
    },
    makeRoom: () => rmSync(filler),
  };
}

const error = (name: string) =>
  ({ level: 'error', context: 'llm', message: `${name} ${'x'.repeat(8 * KB)}` }) as const;

const refuse = async () => {
  throw new Error('down');
};

test.skipIf(!canMount)('what comes while the disk is full is delivered by the next server', async () => {
  const { sink, start, fill, makeRoom } = serverOnSmallDisk(true);
  sink.failure = refuse;
  const killed = start();
  await killed.dispatcher.notify(error('before'));
  fill();
  for (const name of ['first', 'second', 'third']) await killed.dispatcher.notify(error(name));
  makeRoom();
  sink.failure = undefined;
  await start().dispatcher.settled();
  const names = sink.messages.map((message) => message.split(' ')[0] ?? '');
  expect(names.toSorted((a, b) => a.localeCompare(b))).toStrictEqual(['before', 'first', 'second', 'third']);
});

test.skipIf(!canMount)('a server that ends on a full disk counts what only its memory had', async () => {
  const { clock, sink, start, fill, makeRoom, reports } = serverOnSmallDisk(false);
  sink.failure = refuse;
  const { dispatcher, close } = start();
  await dispatcher.notify(error('before'));
  fill();
  for (const name of ['first', 'second']) await dispatcher.notify(error(name));
  const closed = close();
  for (let turn = 0; turn < 40; turn += 1) await clock.advanceAsync(100);
  await closed;
  expect(reports.at(-1)).toBe('2 notifications were lost: the desk database cannot be written.');
  makeRoom();
  sink.failure = undefined;
  await start().dispatcher.settled();
  expect(sink.messages).toStrictEqual([error('before').message]);
});
