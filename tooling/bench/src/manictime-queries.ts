import { manictimeServer, openManicTime } from '@deskside/manictime';
import { connectInProcess } from '@deskside/testkit';
import type { Benchmark, Ratio } from './benchmark.ts';
import { withDataSet } from './manictime/data-sets.ts';
import { timed } from './manictime/timed.ts';
import { type Costs, inTurns, minimum, ratio, spreads } from './statistics.ts';

const ROUNDS = 10;
/** Each opens a server of its own. */
const FIRST_ROUNDS = 3;

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

const RULES = { exclude: ['app:keepass*'], redact: ['title:salary'] };
const FIRST = { name: "a year's applications, first question", options: {}, isFirst: true };
const AGAIN = { ...FIRST, name: "a year's applications, again", isFirst: false };
const FIRST_WITH_RULES = { ...FIRST, name: `${FIRST.name}, with two privacy rules`, options: RULES };
type Question = typeof FIRST;

export const manictimeQueries: Benchmark = {
  name: 'manictime-queries',
  title: 'ManicTime: a day and a year out of five years',
  meaning: 'How long questions about a day, a month and a year take.',
  method:
    'Tool calls of a real client in the same process on a generated database (1,150 activities per weekday, an index of start times). ' +
    `Each ${ROUNDS} times in random order after a warm-up; wall time, minimum. A year's applications: ${FIRST_ROUNDS} times, each with a new server; CPU time of all threads.`,
  caveats: ['Real databases have different indexes, which ManicTime does not document.'],
  async run() {
    const [costs, years] = await withDataSet(
      5,
      async (folder) =>
        [
          await measure(folder),
          await inTurns(FIRST_ROUNDS, [FIRST, AGAIN, FIRST_WITH_RULES], (question) =>
            cpuOf(folder, question),
          ),
        ] as const,
    );
    return {
      numbers: {
        ...spreads(costs, '5 years, start-time index, ms'),
        ...spreads(years, '5 years, start-time index, CPU, ms'),
      },
      ratios: [
        target('narrative of a day with the index, to 20 ms', value(costs, DAY) / 20),
        target('summary of 31 days with the index, to 100 ms', value(costs, MONTH) / 100),
        target('narrative of a year with the index, to 2 s', value(costs, YEAR) / 2000),
        target(`${FIRST.name}, CPU, to 1 s`, minimum(years.get(FIRST) ?? []) / 1000),
        target(`${AGAIN.name}, CPU, to 0.3 s`, minimum(years.get(AGAIN) ?? []) / 300),
        ratio(years, [FIRST_WITH_RULES, FIRST], 'CPU minimum', 1.3),
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

/** Milliseconds of all threads, without those of the start. */
async function cpuOf(folder: string, { options, isFirst }: Question): Promise<number> {
  await using manictime = openManicTime({ dataDir: folder, ...options });
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  const ask = (startDate: string) =>
    peer.callTool('get_application_usage', { startDate, endDate: YEAR.endDate });
  await ask(isFirst ? DAY.startDate : YEAR.startDate);
  const before = process.cpuUsage();
  await ask(YEAR.startDate);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function measure(folder: string): Promise<Costs> {
  await using manictime = openManicTime({ dataDir: folder });
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  return await timed(ROUNDS, [DAY, MONTH, YEAR], ({ tool, endDate, startDate }) =>
    peer.callTool(tool, { startDate, endDate, includeSummary: true }),
  );
}
