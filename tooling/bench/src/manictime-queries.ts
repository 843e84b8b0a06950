import { manictimeServer, openManicTime } from '@deskside/manictime';
import { connectInProcess, type Peer } from '@deskside/testkit';
import type { Benchmark, Figures } from './benchmark.ts';
import { LAST_DAY, withDataSet } from './data-sets.ts';
import { cpuOf } from './process.ts';
import { inTurns, limitRatio, ratio, spreads, timed } from './statistics.ts';

const ROUNDS = 10;
/** Each opens another server. */
const FIRST_ROUNDS = 3;
const DAY = { startDate: '2026-11-19', endDate: LAST_DAY };
const YEAR = { startDate: '2025-11-20', endDate: LAST_DAY };

const RULES = { exclude: ['app:keepass*'], redact: ['title:salary'] };
const NARRATIVE = { name: 'narrative of a day' };
const FIRST = { name: 'a year, first', options: {}, isFirst: true };
const AGAIN = { ...FIRST, name: 'a year, again', isFirst: false };
const FIRST_WITH_RULES = { ...FIRST, name: 'a year with two privacy rules', options: RULES };

export const manictimeQueries: Benchmark = {
  name: 'manictime-queries',
  title: 'ManicTime: a day and a year out of five years',
  method:
    'Tool calls of a real client in the same process on a generated database (1,150 activities per weekday). ' +
    `The day: ${ROUNDS} times after a warm-up; wall time, minimum. A year's usage of applications: ${FIRST_ROUNDS} times in random order, each with a new server; CPU time of all threads. Real databases have different indexes, which ManicTime does not document.`,
  misses: {
    'a year, first, CPU, to 1.6 s': 'a limit in seconds, and the machine was half as fast as on other days',
    'a year with two privacy rules to a year, first, CPU':
      'without rules documents and tags are not read; a rule is compared with each of them',
  },
  run: () => withDataSet(5, measure),
};

async function measure(folder: string): Promise<Figures> {
  const days = await withPeer(folder, {}, (peer) =>
    timed(ROUNDS, [NARRATIVE], () =>
      peer.callTool('get_activity_narrative', { ...DAY, includeSummary: true }),
    ),
  );
  const years = await inTurns(FIRST_ROUNDS, [FIRST, AGAIN, FIRST_WITH_RULES], ({ options, isFirst }) =>
    withPeer(folder, options, async (peer) => {
      // The start does not count.
      await peer.callTool('get_application_usage', isFirst ? DAY : YEAR);
      return cpuOf(() => peer.callTool('get_application_usage', YEAR));
    }),
  );
  return {
    numbers: {
      ...spreads(days, '5 years, start-time index, ms'),
      ...spreads(years, '5 years, start-time index, CPU, ms'),
    },
    ratios: [
      limitRatio('narrative of a day with the index, to 20 ms', 20, days.get(NARRATIVE)),
      limitRatio(`${FIRST.name}, CPU, to 1.6 s`, 1600, years.get(FIRST)),
      limitRatio(`${AGAIN.name}, CPU, to 0.3 s`, 300, years.get(AGAIN)),
      ratio(years, [FIRST_WITH_RULES, FIRST], 'CPU', 1.3),
    ],
  };
}

async function withPeer<T>(folder: string, options: object, use: (peer: Peer) => Promise<T>): Promise<T> {
  await using manictime = openManicTime({ dataDir: folder, ...options });
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  return await use(peer);
}
