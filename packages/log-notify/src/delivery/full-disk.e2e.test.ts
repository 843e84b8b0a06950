import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixedClock, temporaryFolder } from '@deskside/testkit';
import { canMount, smallDisk } from '@deskside/testkit/small-disk';
import { expect, test } from 'vitest';
import { MemorySink, NO_LOCAL_SINKS } from '../testing/delivery.ts';
import { Machine, storageIn, type TestedProcess } from '../testing/storage.ts';
import { Dispatcher } from './dispatcher.ts';

const KB = 1024;

/** Servers whose desk database is on a small disk, and a file that fills the disk. */
function smallMachine(hasRuntimeFolder: boolean) {
  const disk = smallDisk(512);
  const other = temporaryFolder();
  const config = join(other, 'log-notify.toml');
  const webhook = '[[webhook]]\nurl = "https://example.org/hook"\nrate = false\nfold = false\n';
  writeFileSync(config, NO_LOCAL_SINKS + webhook);
  const clock = fixedClock('2026-11-21T12:00:00Z');
  const machine = new Machine(clock);
  const sink = new MemorySink();
  const reports: string[] = [];
  const report = (sentence: string) => void reports.push(sentence);
  const runtime = hasRuntimeFolder ? [join(other, 'runtime')] : [];
  const filler = join(disk, 'filler');
  let running: TestedProcess | undefined;
  return {
    clock,
    reports,
    sink,
    /** Kills the one before it. */
    start() {
      running?.kill();
      running = machine.start();
      return new Dispatcher({
        config,
        open: () => sink,
        ...storageIn(disk, machine, running, report, runtime),
      });
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
  const { sink, start, fill, makeRoom } = smallMachine(true);
  sink.failure = refuse;
  const killed = start();
  await killed.notify(error('before'));
  fill();
  for (const name of ['first', 'second', 'third']) await killed.notify(error(name));
  makeRoom();
  sink.failure = undefined;
  await start().settled();
  const names = sink.messages.map((message) => message.split(' ')[0] ?? '');
  expect(names.toSorted((a, b) => a.localeCompare(b))).toStrictEqual(['before', 'first', 'second', 'third']);
});

test.skipIf(!canMount)('a server that ends on a full disk counts what only its memory had', async () => {
  const { clock, sink, start, fill, makeRoom, reports } = smallMachine(false);
  sink.failure = refuse;
  const dispatcher = start();
  await dispatcher.notify(error('before'));
  fill();
  for (const name of ['first', 'second']) await dispatcher.notify(error(name));
  const closed = dispatcher.close();
  for (let turn = 0; turn < 40; turn += 1) await clock.advanceAsync(100);
  await closed;
  expect(reports.at(-1)).toBe('2 notifications were lost: the desk database cannot be written.');
  makeRoom();
  sink.failure = undefined;
  await start().settled();
  expect(sink.messages).toStrictEqual([error('before').message]);
});
