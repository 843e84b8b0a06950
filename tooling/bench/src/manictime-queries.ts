import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { manictimeServer, openManicTime } from '@deskside/manictime';
import { connectInProcess } from '@deskside/testkit';
import Database from 'better-sqlite3';
import type { Benchmark, BenchmarkReport, Ratio } from './benchmark.ts';
import { type DataSet, FIVE_YEARS, OTHER_YEARS, withDataSet } from './manictime/data-sets.ts';
import { timed } from './manictime/timed.ts';
import { median, minimum } from './statistics.ts';

const ROUNDS = 15;
const DAY = { startDate: '2026-11-19', endDate: '2026-11-20' };
const YEAR_ROUNDS = 3;
const YEAR = { startDate: '2025-11-20', endDate: '2026-11-20' };
const MONTH = { startDate: '2026-10-20', endDate: '2026-11-20' };

interface Figures {
  readonly dataSet: DataSet;
  readonly rows: number;
  readonly narrative: readonly number[];
  readonly period: readonly number[];
  readonly bareSelect: readonly number[];
  readonly year: Year;
}

/** The narrative of a year, and what it does to the process meanwhile. */
interface Year {
  readonly times: readonly number[];
  /** Largest resident memory, in megabytes. */
  readonly memory: number;
  /** 99th percentile of the delay of the event loop, in milliseconds. */
  readonly loopDelay: number;
}

export const manictimeQueries: Benchmark = {
  name: 'manictime-queries',
  title: 'ManicTime: a day and a month out of years',
  async run() {
    const figures: Figures[] = [];
    for (const dataSet of [...FIVE_YEARS, ...OTHER_YEARS]) {
      figures.push(await withDataSet(dataSet, (folder) => measure(dataSet, folder)));
    }
    return report(figures);
  },
};

async function measure(dataSet: DataSet, folder: string): Promise<Figures> {
  await using manictime = openManicTime({ dataDir: folder });
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  const database = new Database(join(folder, 'ManicTimeReports.db'), { readonly: true });
  const select = database.prepare('SELECT * FROM Ar_Activity WHERE StartLocalTime < ? AND EndLocalTime > ?');
  const narrative = await timed(ROUNDS, () =>
    peer.callTool('get_activity_narrative', { ...DAY, includeSummary: true }),
  );
  const period = await timed(ROUNDS, () => peer.callTool('get_period_summary', MONTH));
  const bareSelect = await timed(5, async () => select.all(DAY.endDate, DAY.startDate));
  const year = await measureYear(() =>
    peer.callTool('get_activity_narrative', { ...YEAR, includeSummary: true }),
  );
  const [count] = database.prepare('SELECT count(*) FROM Ar_Activity').pluck().all();
  database.close();
  return { dataSet, rows: Number(count), narrative, period, bareSelect, year };
}

async function measureYear(call: () => Promise<unknown>): Promise<Year> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  let memory = 0;
  const sampling = setInterval(() => (memory = Math.max(memory, process.memoryUsage.rss() / 1e6)), 10);
  delay.enable();
  const times = await timed(YEAR_ROUNDS, call);
  delay.disable();
  clearInterval(sampling);
  return { times, memory, loopDelay: delay.percentile(99) / 1e6 };
}

function report(figures: readonly Figures[]): BenchmarkReport {
  const [indexed, growing, scanned, oneYear, tenYears] = figures;
  if (!indexed || !growing || !scanned || !oneYear || !tenYears) throw new Error('a data set is missing');
  return {
    compared:
      'Tool calls of a real client in the same process on generated databases of the typical profile (1,150 activities per weekday), and a ' +
      'bare `SELECT` of all columns of the rows of that day, which uses no index.',
    method:
      `Each call ${ROUNDS} times after a warm-up (the bare \`SELECT\` 5 times), one after the other; wall time, minimum and median. The narrative ` +
      'has its top lists and its limit of 200 segments. The data has no screenshots.',
    tables: [
      {
        columns: [
          'Database',
          'Rows',
          'Narrative of a day, ms (min / median)',
          'Summary of 31 days, ms',
          'Bare SELECT of the day, ms',
          'Narrative of a year, ms',
          'Memory of the process, MB',
          'Event loop delay, p99, ms',
        ],
        rows: figures.map(({ dataSet, rows, narrative, period, bareSelect, year }) => [
          dataSet.name,
          rows,
          both(narrative),
          both(period),
          both(bareSelect),
          both(year.times),
          year.memory.toFixed(0),
          year.loopDelay.toFixed(1),
        ]),
      },
    ],
    ratios: [
      atMost('narrative of a day with the index, to 50 ms', minimum(indexed.narrative) / 50, 1),
      atMost('narrative of a day with growing ids, to 50 ms', minimum(growing.narrative) / 50, 1),
      atMost(
        'narrative of a day without index or order, to the bare SELECT',
        minimum(scanned.narrative) / minimum(scanned.bareSelect),
        2,
      ),
      atMost('summary of 31 days with the index, to 100 ms', minimum(indexed.period) / 100, 1),
      atMost('narrative of a year with the index, to 2 s', minimum(indexed.year.times) / 2000, 1),
      atMost('memory during the narrative of a year, to 200 MB', indexed.year.memory / 200, 1),
      atMost('event loop delay during the narrative of a year, to 20 ms', indexed.year.loopDelay / 20, 1),
      atMost('narrative, 10 years to 1 year', minimum(tenYears.narrative) / minimum(oneYear.narrative), 1.5),
      atMost('summary, 10 years to 1 year', minimum(tenYears.period) / minimum(oneYear.period), 1.5),
    ],
    caveats: [
      'Minima are reliable on a busy machine; medians are not.',
      'Real databases have different indexes, which ManicTime does not document.',
    ],
  };
}

function both(times: readonly number[]): string {
  return `${minimum(times).toFixed(1)} / ${median(times).toFixed(1)}`;
}

function atMost(title: string, value: number, limit: number): Ratio {
  return { title, value, target: { atMost: limit } };
}
