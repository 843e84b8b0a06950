import { join } from 'node:path';
import { manictimeServer, openManicTime } from '@deskside/manictime';
import { connectInProcess } from '@deskside/testkit';
import Database from 'better-sqlite3';
import type { Benchmark, Figures, Ratio } from './benchmark.ts';
import { type DataSet, FIVE_YEARS, withDataSet } from './manictime/data-sets.ts';
import { timed } from './manictime/timed.ts';
import { median, minimum } from './statistics.ts';

const ROUNDS = 15;
const DAY = { startDate: '2026-11-19', endDate: '2026-11-20' };
const YEAR = { startDate: '2025-11-20', endDate: '2026-11-20' };
const MONTH = { startDate: '2026-10-20', endDate: '2026-11-20' };

interface Measured {
  readonly dataSet: DataSet;
  readonly rows: number;
  readonly narrative: readonly number[];
  readonly period: readonly number[];
  readonly bareSelect: readonly number[];
  readonly year: readonly number[];
}

export const manictimeQueries: Benchmark = {
  name: 'manictime-queries',
  title: 'ManicTime: a day and a year out of five years',
  meaning: 'How long questions about a day, a month and a year take.',
  method:
    'Tool calls of a real client in the same process on generated databases (1,150 activities per weekday), and a bare `SELECT` of all ' +
    `columns of the rows of that day. Each call ${ROUNDS} times after a warm-up (a year and the bare \`SELECT\` 5 times); wall time, minimum and median.`,
  caveats: ['Real databases have different indexes, which ManicTime does not document.'],
  async run() {
    const figures: Measured[] = [];
    for (const dataSet of FIVE_YEARS) {
      figures.push(await withDataSet(dataSet, (folder) => measure(dataSet, folder)));
    }
    return report(figures);
  },
};

async function measure(dataSet: DataSet, folder: string): Promise<Measured> {
  await using manictime = openManicTime({ dataDir: folder });
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  const database = new Database(join(folder, 'ManicTimeReports.db'), { readonly: true });
  const select = database.prepare('SELECT * FROM Ar_Activity WHERE StartLocalTime < ? AND EndLocalTime > ?');
  const narrative = await timed(ROUNDS, () =>
    peer.callTool('get_activity_narrative', { ...DAY, includeSummary: true }),
  );
  const period = await timed(ROUNDS, () => peer.callTool('get_period_summary', MONTH));
  const bareSelect = await timed(5, async () => select.all(DAY.endDate, DAY.startDate));
  const year = await timed(5, () =>
    peer.callTool('get_activity_narrative', { ...YEAR, includeSummary: true }),
  );
  const [count] = database.prepare('SELECT count(*) FROM Ar_Activity').pluck().all();
  database.close();
  return { dataSet, rows: Number(count), narrative, period, bareSelect, year };
}

function report(figures: readonly Measured[]): Figures {
  const [indexed, scanned] = figures;
  if (!indexed || !scanned) throw new Error('a data set is missing');
  return {
    tables: [
      {
        columns: [
          'Database',
          'Rows',
          'Narrative of a day, ms (min / median)',
          'Summary of 31 days, ms',
          'Bare SELECT of the day, ms',
          'Narrative of a year, ms',
        ],
        rows: figures.map(({ dataSet, rows, narrative, period, bareSelect, year }) => [
          dataSet.name,
          rows,
          both(narrative),
          both(period),
          both(bareSelect),
          both(year),
        ]),
      },
    ],
    ratios: [
      atMost('narrative of a day with the index, to 20 ms', minimum(indexed.narrative) / 20, 1),
      atMost(
        'narrative of a day without index, to the bare SELECT',
        minimum(scanned.narrative) / minimum(scanned.bareSelect),
        2,
      ),
      atMost('summary of 31 days with the index, to 100 ms', minimum(indexed.period) / 100, 1),
      atMost('narrative of a year with the index, to 2 s', minimum(indexed.year) / 2000, 1),
    ],
  };
}

function both(times: readonly number[]): string {
  return `${minimum(times).toFixed(1)} / ${median(times).toFixed(1)}`;
}

function atMost(title: string, value: number, limit: number): Ratio {
  return { title, value, target: { atMost: limit } };
}
