import { join } from 'node:path';
import { manictimeServer, openManicTime } from '@deskside/manictime';
import { connectInProcess } from '@deskside/testkit';
import Database from 'better-sqlite3';
import type { Benchmark, Ratio } from './benchmark.ts';
import { INDEXED, SCANNED, withDataSet } from './manictime/data-sets.ts';
import { timed } from './manictime/timed.ts';
import { type Costs, minimum, spreads } from './statistics.ts';

const ROUNDS = 10;

interface Work {
  readonly name: string;
  /** Undefined: a bare `SELECT`. */
  readonly tool?: string;
  readonly startDate: string;
  readonly endDate: string;
}

const day = { startDate: '2026-11-19', endDate: '2026-11-20' };
const narrative = { tool: 'get_activity_narrative', endDate: '2026-11-20' };
const DAY: Work = { name: 'narrative of a day', ...narrative, ...day };
const YEAR: Work = { name: 'narrative of a year', ...narrative, startDate: '2025-11-20' };
const MONTH: Work = {
  name: 'summary of 31 days',
  tool: 'get_period_summary',
  startDate: '2026-10-20',
  endDate: '2026-11-20',
};
const SELECT: Work = { name: 'bare SELECT of a day', ...day };

export const manictimeQueries: Benchmark = {
  name: 'manictime-queries',
  title: 'ManicTime: a day and a year out of five years',
  meaning: 'How long questions about a day, a month and a year take.',
  method:
    'Tool calls of a real client in the same process on generated databases (1,150 activities per weekday), and a bare `SELECT` of all ' +
    `columns of the rows of that day. Each ${ROUNDS} times in random order after a warm-up; wall time, minimum.`,
  caveats: ['Real databases have different indexes, which ManicTime does not document.'],
  async run() {
    const indexed = await withDataSet(INDEXED, measure);
    const scanned = await withDataSet(SCANNED, measure);
    return {
      numbers: {
        ...spreads(indexed, `${INDEXED.name}, ms`),
        ...spreads(scanned, `${SCANNED.name}, ms`),
      },
      ratios: [
        target('narrative of a day with the index, to 20 ms', value(indexed, DAY) / 20),
        target(
          'narrative of a day without index, to the bare SELECT',
          value(scanned, DAY) / value(scanned, SELECT),
          2,
        ),
        target('summary of 31 days with the index, to 100 ms', value(indexed, MONTH) / 100),
        target('narrative of a year with the index, to 2 s', value(indexed, YEAR) / 2000),
      ],
    };
  },
};

function value(costs: Costs, work: Work): number {
  return minimum(costs.get(work) ?? []);
}

function target(title: string, measured: number, atMost = 1): Ratio {
  return { title, value: measured, target: { atMost } };
}

async function measure(folder: string): Promise<Costs> {
  await using manictime = openManicTime({ dataDir: folder });
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  const database = new Database(join(folder, 'ManicTimeReports.db'), { readonly: true });
  const select = database.prepare('SELECT * FROM Ar_Activity WHERE StartLocalTime < ? AND EndLocalTime > ?');
  const run = async ({ tool, endDate, startDate }: Work) =>
    tool === undefined
      ? select.all(endDate, startDate)
      : peer.callTool(tool, { startDate, endDate, includeSummary: true });
  const costs = await timed(ROUNDS, [DAY, MONTH, YEAR, SELECT], run);
  database.close();
  return costs;
}
