import { join } from 'node:path';
import { connectInProcess, firstText, fixedClock, temporaryFolder } from '@deskside/testkit';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { DATABASE_NAME } from '../database/file.ts';
import { minutesOf } from '../database/model/time.ts';
import { writeDataFolder } from '../testing/data-folder.ts';
import { openManicTime } from '../manictime.ts';
import { manictimeServer } from '../server.ts';
import { countAtoms, secondsOf, type Stretch, within } from '../testing/count-atoms.ts';
import { type CountedSum, countSum, hourOf, weekdayOf } from '../testing/count-sums.ts';
import { storedRows } from '../testing/stored-rows.ts';

const NOW = '2026-11-20T23:00:00';

type Args = Readonly<Record<string, unknown>>;
interface SumQuestion {
  readonly question: string;
  /** In local time, for the count. */
  readonly from: string;
  readonly to: string;
  readonly args: Args & { readonly startDate: string; readonly endDate: string };
}

const YESTERDAY = { from: '2026-11-19', to: '2026-11-20', dates: ['yesterday', 'yesterday'] };
const TODAY = { from: '2026-11-20', to: '2026-11-21', dates: ['today', 'today'] };
const WEEK = { from: '2026-11-16', to: '2026-11-23', dates: ['this week', 'this week'] };
const MONTH = { from: '2026-11-01', to: '2026-12-01', dates: ['this month', 'this month'] };
const YEAR = { from: '2026-01-01', to: '2027-01-01', dates: ['this year', 'this year'] };

function ask(
  question: string,
  { from, to, dates: [startDate = '', endDate = ''] }: typeof WEEK,
  args: Args = {},
): SumQuestion {
  return { question, from, to, args: { startDate, endDate, ...args } };
}

const LAST_HOUR = { from: '2026-11-20T22:00', to: '2026-11-20T23:00', dates: ['-1h', 'now'] };
const PROJECT_A = { all: ['tag:"Project A"'] };
const APPLICATIONS = { groupBy: ['application'], top: 5 };
const SITES = { groupBy: ['site'], top: 5 };

/** One call of `sum_time` each, with nothing left to add up. */
const SUMS: readonly SumQuestion[] = [
  ask('How long did I work yesterday?', YESTERDAY),
  ask('How many hours this week?', WEEK),
  ask('What did I use most today?', TODAY, APPLICATIONS),
  ask('What did I do in the last hour?', LAST_HOUR, { groupBy: ['title'], top: 5 }),
  ask('What did I do yesterday between 14 and 16 h?', YESTERDAY, { all: ['hour:14-16'], ...APPLICATIONS }),
  ask('How long was I on github.com this week?', WEEK, { all: ['site:github.com'] }),
  ask('How many hours for Project A this month?', MONTH, PROJECT_A),
  ask('Which applications did I use for Project A?', MONTH, { ...PROJECT_A, ...APPLICATIONS }),
  ask('Project A or Project B: which took more?', MONTH, {
    any: ['tag:"Project A"', 'tag:"Project B"'],
    groupBy: ['tag'],
  }),
  ask('How much for Project A on each day?', MONTH, { ...PROJECT_A, groupBy: ['day'] }),
  ask('How much of my week is untagged?', WEEK, { all: ['untagged'] }),
  ask('In which applications is the time that I still have to tag?', WEEK, {
    all: ['untagged'],
    ...APPLICATIONS,
  }),
  ask('When did I start and stop each day this week?', WEEK, {
    groupBy: ['day'],
    details: ['first', 'last'],
  }),
  ask('How often was I interrupted yesterday, and what was my longest stretch?', YESTERDAY),
  ask('What was my longest focus in each application this week?', WEEK, {
    ...APPLICATIONS,
    details: ['longest', 'count'],
  }),
  ask('Which was my busiest day this month?', MONTH, { groupBy: ['day'], top: 1 }),
  ask('On which day of the week do I work most?', MONTH, { groupBy: ['weekday'] }),
  ask('At which hours do I write mail?', MONTH, { all: ['application:outlook'], groupBy: ['hour'] }),
  ask('How many hours per month this year?', YEAR, { groupBy: ['month'] }),
  ask('How many hours per week?', YEAR, { groupBy: ['week'] }),
  ask('How much time in Visual Studio Code this year?', YEAR, { all: ['application:"visual studio code"'] }),
  ask('What is the share of Outlook?', MONTH, { all: ['application:outlook'] }),
  ask('When was I last in Excel?', YEAR, { all: ['application:excel'] }),
  ask('Did I work at the weekend?', MONTH, { all: ['weekday:saturday,sunday'] }),
  ask('How much did I work after 18 h?', MONTH, { all: ['hour:18-24'] }),
  ask('How long was I not in a browser yesterday?', YESTERDAY, { none: ['application:chrome'] }),
  ask('Which websites take most of my time?', WEEK, SITES),
  ask('Which files did I work on longest?', WEEK, { groupBy: ['file'], top: 5 }),
  ask('What are my top three applications of each week?', MONTH, {
    groupBy: ['week', 'application'],
    top: 3,
  }),
  ask('Which websites belong to which project?', MONTH, { groupBy: ['tag', 'site'], top: 3 }),
  ask('What took my time in Chrome?', WEEK, { all: ['application:chrome'], ...SITES }),
];

/** Whether one of the filters above finds some time. */
function finds(stretch: Stretch, filter: string): boolean {
  const [key = '', text = ''] = filter.replaceAll('"', '').split(':');
  const [from = 0, to = 0] = text.split('-').map(Number);
  if (key === 'untagged') return stretch.tags.size === 0;
  if (key === 'tag') return stretch.tags.has(text);
  if (key === 'hour') return hourOf(stretch) >= from && hourOf(stretch) < to;
  if (key === 'weekday') return text.split(',').includes(weekdayOf(stretch).toLowerCase());
  return (key === 'site' ? stretch.site : stretch.application)?.toLowerCase().includes(text) ?? false;
}

const YESTERDAY_DATES = { startDate: 'yesterday', endDate: 'today' };

/** Questions whose answer is no sum: what I did yesterday, also with every visit, and so on. */
const OTHERS: readonly (readonly [tool: string, args: Args])[] = [
  ['get_activity_narrative', { ...YESTERDAY_DATES, includeSummary: true, detail: 'brief' }],
  ['get_activity_narrative', { ...YESTERDAY_DATES, maxSegments: 2000 }],
  ['get_period_summary', { startDate: '-7d', endDate: 'today' }],
  ['get_tags', { startDate: '-7d', endDate: 'today' }],
  ['search_activities', { startDate: '2026-11-01', endDate: '2026-11-21', text: 'Requirements' }],
  ['search_activities', { startDate: '-7d', endDate: 'today', title: 'work item 2' }],
  ['get_computer_usage', YESTERDAY_DATES],
  ['list_screenshots', { startDate: '2026-11-20T09:55', endDate: '2026-11-20T10:05' }],
  ['get_timelines', {}],
];

const isTime = (key: string | undefined) => ['hour', 'day', 'weekday', 'week', 'month'].includes(key ?? '');
const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10);
const timeOf = (local: number | undefined) =>
  local === undefined ? undefined : new Date(local * 1000).toISOString().slice(0, 19);

type Lists = Partial<Record<'groupBy' | 'details' | 'all' | 'any' | 'none', string[]>>;

/** The answer of `sum_time`, from a count. */
function expected(stretches: readonly Stretch[], { args, from, to }: SumQuestion) {
  const { groupBy = [], details = [], all = [], any, none = [], top } = args as Lists & { top?: number };
  const [start, end] = [from, to].map(
    (date) => Date.parse(`${date.length === 10 ? `${date}T00:00` : date}Z`) / 1000,
  );
  const counted = within(stretches, start ?? 0, end ?? 0);
  const whole = secondsOf(counted);
  const found = counted.filter(
    (stretch) =>
      all.every((filter) => finds(stretch, filter)) &&
      (any?.some((filter) => finds(stretch, filter)) ?? true) &&
      !none.some((filter) => finds(stretch, filter)),
  );
  const sum = countSum(found, groupBy);
  const shown = (
    sum: CountedSum,
    whole: number,
    with_: readonly string[],
    [key, ...keys]: string[],
  ): object => {
    const isWhole = isTime(key) && (top === undefined || groupBy.length > 1);
    const order = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
    const sorted = (sum.groups ?? []).toSorted((a, b) => {
      if (!isWhole) return b.seconds - a.seconds || (a.name < b.name ? -1 : 1);
      return key === 'weekday' ? order.indexOf(a.name) - order.indexOf(b.name) : a.name < b.name ? -1 : 1;
    });
    const listed = isWhole ? sorted : sorted.slice(0, top ?? 10);
    const rest = sorted.slice(listed.length);
    const totalMinutes = minutesOf(rest.reduce((all, each) => all + each.seconds, 0));
    const facts = {
      count: sum.count,
      longestMinutes: minutesOf(sum.longest),
      first: timeOf(sum.first),
      last: timeOf(sum.last),
    };
    return {
      ...(sum.name === '' ? {} : { name: sum.name }),
      totalMinutes: minutesOf(sum.seconds),
      share: share(sum.seconds, whole),
      ...Object.fromEntries(
        Object.entries(facts).filter(([name]) => with_.includes(name.replace('Minutes', ''))),
      ),
      ...(key === undefined ? {} : { groups: listed.map((each) => shown(each, sum.seconds, details, keys)) }),
      ...(rest.length === 0 ? {} : { others: { groups: rest.length, totalMinutes } }),
      ...(sum.ungrouped === undefined || sum.ungrouped === 0
        ? {}
        : { ungroupedMinutes: minutesOf(sum.ungrouped) }),
    };
  };
  return {
    activeMinutes: minutesOf(whole),
    ...shown(sum, whole, ['count', 'longest', 'first', 'last'], groupBy),
  };
}

test('written questions are answered in one call under 4 kB with what a count of every second gives', async () => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  const folder = temporaryFolder();
  const data = { profile: 'typical', days: 26, until: '2026-11-20', seed: 7, screenshotDays: 1 } as const;
  await writeDataFolder({ folder, ...data });
  endRowsNow(folder);
  const stretches = countAtoms(storedRows(folder));
  await using manictime = openManicTime(
    { dataDir: folder },
    { clock: fixedClock(new Date(NOW).toISOString()) },
  );
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  expect(SUMS.length).toBeGreaterThanOrEqual(30);
  for (const each of SUMS) {
    const result = await peer.callTool('sum_time', { ...each.args });
    const text = firstText(result);
    const { startDate: _, endDate: __, truncation: ___, diagnostics, ...answer } = JSON.parse(text);
    const counted = expected(stretches, each);
    expect(answer, each.question).toEqual(counted);
    expect(diagnostics, each.question).toEqual({ degraded: false });
    expect(Buffer.byteLength(text), each.question).toBeLessThan(4000);
  }
  for (const [tool, args] of OTHERS) {
    const answer = await peer.callTool(tool, { ...args });
    expect(answer.isError ?? false, tool).toBe(false);
    expect(Buffer.byteLength(firstText(answer)), tool).toBeLessThan(60_000);
  }
});

/** Leaves nothing in the future of the tracked computer. */
function endRowsNow(folder: string): void {
  const database = new Database(join(folder, DATABASE_NAME));
  const now = {
    local: NOW.replace('T', ' '),
    utc: new Date(NOW).toISOString().slice(0, 19).replace('T', ' '),
  };
  database.prepare('DELETE FROM Ar_Activity WHERE StartUtcTime >= ?').run(now.utc);
  database.prepare('DELETE FROM Ar_ApplicationByDay WHERE Hour >= ?').run(now.local);
  database
    .prepare('UPDATE Ar_Activity SET EndLocalTime = @local, EndUtcTime = @utc WHERE EndUtcTime > @utc')
    .run(now);
  database.close();
}
