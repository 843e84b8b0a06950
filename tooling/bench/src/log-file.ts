import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { notification } from '../../../packages/log-notify/src/message/notification.ts';
import { JsonLinesFile } from '../../../packages/log-notify/src/sinks/file/json-lines-file.ts';
import type { Benchmark, BenchmarkReport } from './benchmark.ts';
import { median, minimum, shuffled } from './statistics.ts';

const ROUNDS = 12;
const RECORDS = 50_000;
const BATCH = 500;
const MESSAGE = 'Completed analysis of 47 files, found 3 issues requiring attention';

interface Subject {
  readonly name: string;
  /** Writes that many records to a new file; resolves when all are written. */
  readonly write: (path: string) => Promise<void>;
  /** Milliseconds of CPU, and of the clock, for all records, one a round. */
  readonly cpu: number[];
  readonly wall: number[];
}

/** The file sink at its own API beside pino alone, in the same run. */
export const logFile: Benchmark = {
  name: 'log-file',
  title: 'Throughput of the notification file',
  async run() {
    const ours = subject('`JsonLinesFile` of log-notify', writeOurs);
    const theirs = subject('pino, asynchronous destination', writeTheirs);
    const folder = await mkdtemp(join(tmpdir(), 'deskside-bench-'));
    try {
      for (let round = -1; round < ROUNDS; round++) {
        for (const each of shuffled([ours, theirs])) {
          const path = join(folder, 'log.jsonl');
          await measure(each, path, round >= 0);
          await checkWhole(path);
          await rm(path);
        }
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return report(ours, theirs);
  },
};

function subject(name: string, write: Subject['write']): Subject {
  return { name, write, cpu: [], wall: [] };
}

async function measure({ write, cpu, wall }: Subject, path: string, counts: boolean): Promise<void> {
  const usage = process.cpuUsage();
  const startedAt = performance.now();
  await write(path);
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(usage);
  if (!counts) return;
  cpu.push((user + system) / 1000);
  wall.push(ms);
}

async function writeOurs(path: string): Promise<void> {
  const sink = new JsonLinesFile({ path, maxSize: Number.MAX_SAFE_INTEGER, keep: 1 });
  for (let written = 0; written < RECORDS; written += BATCH) {
    const batch = Array.from({ length: BATCH }, () =>
      notification({ level: 'info', context: 'analysis', message: MESSAGE }, Date.now()),
    );
    await sink.deliver(batch);
  }
  await sink.close();
}

async function writeTheirs(path: string): Promise<void> {
  const destination = pino.destination({ dest: path, sync: false, minLength: 4096 });
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  for (let written = 0; written < RECORDS; written += BATCH) {
    for (let index = 0; index < BATCH; index += 1) {
      logger.info({ target: 'llm_notify', context: 'analysis', id: crypto.randomUUID() }, MESSAGE);
    }
    // As often as ours comes back to the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const closed = new Promise((resolve) => destination.once('close', resolve));
  destination.end();
  await closed;
}

/** Nobody is fast by writing less. */
async function checkWhole(path: string): Promise<void> {
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  if (lines.length !== RECORDS || lines.some((line) => !line.endsWith('}'))) {
    throw new Error(`${lines.length} of ${RECORDS} records were written`);
  }
}

function report(ours: Subject, theirs: Subject): BenchmarkReport {
  return {
    compared:
      'The file sink of log-notify at its own API (`JsonLinesFile.deliver`, batches as its queue makes them) against pino alone: ' +
      'the same fields in each record, with an ISO time and a random UUID, appended to one file. Ours also looks before each batch whether ' +
      'the file is still the one at its path and how long it is (other processes may have rotated it), and makes controls, bidi and invisible characters visible.',
    method:
      `${RECORDS.toLocaleString('en')} records a round, ${ROUNDS} rounds in random order after a warm-up; CPU is user and system time of the process, all threads. ` +
      'Each round ends when the file is closed, and is checked to hold every record.',
    tables: [
      {
        columns: [
          'Writer',
          'Records/s of CPU, best',
          'Records/s of CPU, median',
          'Records/s by the clock, best',
        ],
        rows: [ours, theirs].map(({ name, cpu, wall }) => [
          name,
          perSecond(minimum(cpu)),
          perSecond(median(cpu)),
          perSecond(minimum(wall)),
        ]),
      },
    ],
    ratios: [
      {
        title: 'records per second of CPU, ours to pino, best of each',
        value: minimum(theirs.cpu) / minimum(ours.cpu),
        target: { atLeast: 0.6 },
      },
      {
        title: 'records per second by the clock, ours to pino, best of each',
        value: minimum(theirs.wall) / minimum(ours.wall),
        target: { atLeast: 0.6 },
      },
    ],
  };
}

function perSecond(ms: number): string {
  return Math.round((RECORDS / ms) * 1000).toLocaleString('en');
}
