import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type LogNotify, logNotifyServer, openLogNotify } from '@deskside/log-notify';
import { connectInProcess, type Peer } from '@deskside/testkit';
import { pino } from 'pino';
import type { Benchmark, BenchmarkReport } from './benchmark.ts';
import { cpuTime } from './process-cpu.ts';
import { median, shuffled } from './statistics.ts';

const ROUNDS = 6;
const RECORDS = 2000;
/** Half of what a queue holds. */
const BATCH = 500;
/** pino's usual size of a buffered write. */
const PINO_BUFFER_BYTES = 4096;

const MESSAGE = 'Completed analysis of 47 files, found 3 issues requiring attention';

interface Subject {
  readonly name: string;
  /** Writes that many records, and resolves when they are in the file. */
  readonly write: (count: number) => Promise<void>;
  /** CPU microseconds per record, one value per round. */
  readonly costs: number[];
}

/** Linux only. */
export const logNotify: Benchmark = {
  name: 'log-notify',
  title: 'A notification in the file',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'deskside-bench-'));
    try {
      await using opened = openIn(folder);
      await using peer = await connectInProcess(logNotifyServer(opened), { era: 'legacy', over: 'stdio' });
      const subjects = subjectsIn(folder, opened, peer);
      for (const { write } of subjects) await write(RECORDS);
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const { write, costs } of shuffled(subjects)) {
          const before = cpuTime(process.pid);
          await write(RECORDS);
          // The scheduler counts the time of a thread when it yields.
          await wait(1);
          costs.push(((cpuTime(process.pid) - before) * 1000) / RECORDS);
        }
      }
      checkWritten(folder);
      return report(subjects);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function openIn(folder: string): LogNotify {
  const config = join(folder, 'log-notify.toml');
  writeFileSync(config, '[stderr]\nenabled = false\n[desktop]\nenabled = false\n[file]\nmax_size = "1GB"\n');
  return openLogNotify({ config, file: join(folder, 'notify.jsonl') }, { spool: join(folder, 'spool') });
}

function subjectsIn(folder: string, opened: LogNotify, peer: Peer): readonly Subject[] {
  const oneByOne = pino(pino.destination({ dest: join(folder, 'pino.jsonl'), sync: true }));
  const destination = pino.destination({
    dest: join(folder, 'pino-buffered.jsonl'),
    sync: true,
    minLength: PINO_BUFFER_BYTES,
  });
  const buffered = pino(destination);
  const input = { level: 'info', context: 'analysis', message: MESSAGE } as const;
  const subject = (name: string, write: Subject['write']): Subject => ({ name, write, costs: [] });
  return [
    subject('the tool `notify`, one call after the other, with client and protocol', async (count) => {
      for (let index = 0; index < count; index += 1) {
        await peer.callTool('notify', { ...input });
        // Without it, the streams of one process leave no turn for the file, and it gets batches.
        await opened.settled();
      }
    }),
    subject('log-notify as a library, one record after the other', async (count) => {
      for (let index = 0; index < count; index += 1) {
        await opened.notify(input);
        await opened.settled();
      }
    }),
    subject('pino, one record after the other', async (count) => {
      for (let index = 0; index < count; index += 1) oneByOne.info({ context: 'analysis' }, MESSAGE);
    }),
    subject(`batches: log-notify as a library, ${BATCH} at once`, async (count) => {
      for (let sent = 0; sent < count; sent += BATCH) {
        await Promise.all(Array.from({ length: BATCH }, () => opened.notify(input)));
        await opened.settled();
      }
    }),
    subject(`batches: pino with a buffer of ${PINO_BUFFER_BYTES} bytes`, async (count) => {
      for (let index = 0; index < count; index += 1) buffered.info({ context: 'analysis' }, MESSAGE);
      destination.flushSync();
    }),
  ];
}

/** @throws Error if a record is missing */
function checkWritten(folder: string): void {
  const expected: readonly (readonly [string, number])[] = [
    ['notify.jsonl', 3],
    ['pino.jsonl', 1],
    ['pino-buffered.jsonl', 1],
  ];
  for (const [name, writers] of expected) {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n').length - 1;
    const wanted = writers * RECORDS * (ROUNDS + 1);
    if (lines !== wanted) throw new Error(`${name} has ${lines} records instead of ${wanted}`);
  }
}

function report(subjects: readonly Subject[]): BenchmarkReport {
  const costs = subjects.map(({ costs: each }) => median(each));
  const [tool = 0, library = 0, single = 1, batch = 0, buffered = 1] = costs;
  return {
    compared:
      'log-notify with its file only, and pino, the usual logger of Node.js, with a file. log-notify works one record at a time: ' +
      'it stores each record in its spool before it answers, then writes it to the file. The two rows with batches show what many records at once cost.',
    method:
      `${ROUNDS} rounds of ${RECORDS} records in one process, all rows in random order in each round; CPU time of all threads per record, median of the rounds. ` +
      'A round ends when all its records are in the file.',
    tables: [
      {
        columns: ['Writer', 'CPU per record, µs'],
        rows: subjects.map(({ name }, index) => [name, (costs[index] ?? 0).toFixed(1)]),
      },
    ],
    ratios: [
      { title: 'the tool to pino, one record after the other', value: tool / single },
      { title: 'the library to pino, one record after the other', value: library / single },
      { title: 'batches: the library to buffered pino', value: batch / buffered },
    ],
    caveats: [
      'pino neither answers a protocol nor remembers a record that was not written when the process is killed.',
    ],
  };
}
