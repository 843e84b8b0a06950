import { manictimeServer, openManicTime } from '@deskside/manictime';
import { connectInProcess } from '@deskside/testkit';
import type { Benchmark, Ratio } from './benchmark.ts';
import { withDataSet } from './manictime/data-sets.ts';
import { timed } from './manictime/timed.ts';
import { type Costs, minimum, spreads } from './statistics.ts';

const ROUNDS = 10;

interface Work {
  readonly name: string;
  readonly tool: string;
  readonly startDate: string;
  readonly endDate: string;
}

const narrative = { tool: 'get_activity_narrative', endDate: '2026-11-20' };
const DAY: Work = { name: 'narrative of a day', ...narrative, startDate: '2026-11-19' };
const YEAR: Work = { name: 'narrative of a year', ...narrative, startDate: '2025-11-20' };
const MONTH: Work = {
  name: 'summary of 31 days',
  tool: 'get_period_summary',
  startDate: '2026-10-20',
  endDate: '2026-11-20',
};

export const manictimeQueries: Benchmark = {
  name: 'manictime-queries',
  title: 'ManicTime: a day and a year out of five years',
  meaning: 'How long questions about a day, a month and a year take.',
  method:
    'Tool calls of a real client in the same process on a generated database (1,150 activities per weekday, an index of start times). ' +
    `Each ${ROUNDS} times in random order after a warm-up; wall time, minimum.`,
  caveats: ['Real databases have different indexes, which ManicTime does not document.'],
  async run() {
    const costs = await withDataSet(5, measure);
    return {
      numbers: spreads(costs, '5 years, start-time index, ms'),
      ratios: [
        target('narrative of a day with the index, to 20 ms', value(costs, DAY) / 20),
        target('summary of 31 days with the index, to 100 ms', value(costs, MONTH) / 100),
        target('narrative of a year with the index, to 2 s', value(costs, YEAR) / 2000),
      ],
    };
  },
};

function value(costs: Costs, work: Work): number {
  return minimum(costs.get(work) ?? []);
}

function target(title: string, measured: number): Ratio {
  return { title, value: measured, target: { atMost: 1 } };
}

async function measure(folder: string): Promise<Costs> {
  await using manictime = openManicTime({ dataDir: folder });
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  return await timed(ROUNDS, [DAY, MONTH, YEAR], ({ tool, endDate, startDate }) =>
    peer.callTool(tool, { startDate, endDate, includeSummary: true }),
  );
}
