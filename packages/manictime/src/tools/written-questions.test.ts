import { fixedClock } from '@deskside/testkit';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import type { Fixture } from '../testing/fixture.ts';
import { file, named, openTestServer, row, served, site } from '../testing/test-server.ts';

/** A Friday. */
const NOW = '2025-01-17T22:00:00Z';

beforeEach(() => {
  vi.stubEnv('TZ', 'Europe/Berlin');
});

const on = (day: string, from: string, to: string) =>
  [`2025-01-${day} ${from}:00`, `2025-01-${day} ${to}:00`] as const;

const fixture: Fixture = {
  applications: [
    row('2024-12-20 19:00:00', '2024-12-20 20:00:00', 'Code'),
    row(...on('11', '10:00', '11:00'), 'Code'),
    row(...on('13', '09:00', '11:00'), 'Code'),
    row(...on('13', '11:00', '11:30'), 'Chrome', { id: 901 }),
    row(...on('14', '09:00', '10:00'), 'Outlook'),
    row(...on('14', '10:00', '12:00'), 'Excel', { id: 911 }),
    row(...on('16', '14:00', '15:00'), 'Code'),
    row(...on('16', '15:00', '15:10'), 'Teams'),
    row(...on('16', '15:13', '16:30'), 'Code'),
    row(...on('17', '22:00', '22:30'), 'Chrome', { id: 921 }),
    row(...on('17', '22:30', '23:00'), 'Code'),
  ],
  documents: [
    site(...on('13', '11:00', '11:30'), 'github.com', { relatedId: 901 }),
    file(...on('14', '10:00', '12:00'), 'Budget.xlsx', { relatedId: 911 }),
    site(...on('17', '22:00', '22:30'), 'github.com', { relatedId: 921 }),
  ],
  tags: [
    named(...on('13', '09:00', '11:00'), 'Project A'),
    named(...on('14', '10:00', '12:00'), 'Project B'),
    named(...on('16', '14:00', '15:00'), 'Project A'),
  ],
  hasScreenshots: true,
};

const WEEK = { startDate: 'this week', endDate: 'this week' };
const MONTH = { startDate: 'this month', endDate: 'this month' };

/** What is said of all time that was asked for. `first` and `last` are times of January. */
function whole(
  totalMinutes: number,
  share: number,
  count: number,
  longestMinutes: number,
  first: string,
  last: string,
) {
  return {
    totalMinutes,
    share,
    count,
    longestMinutes,
    first: `2025-01-${first}:00`,
    last: `2025-01-${last}:00`,
  };
}

const group = (name: string, totalMinutes: number, share: number, more: object = {}) => ({
  name,
  totalMinutes,
  share,
  ...more,
});
const between = (first: string, last: string) => ({
  first: `2025-01-${first}:00`,
  last: `2025-01-${last}:00`,
});

/** One call of `sum_time` each, with nothing left to add up. */
const QUESTIONS: readonly (readonly [
  question: string,
  args: object,
  activeMinutes: number,
  answer: object,
])[] = [
  [
    'What did I do in the last hour?',
    { startDate: '-1h', endDate: 'now', groupBy: ['title'] },
    60,
    {
      ...whole(60, 100, 1, 60, '17T22:00', '17T23:00'),
      groups: [group('Chrome window', 30, 50), group('Code window', 30, 50)],
    },
  ],
  [
    'What did I use most this week, and how long at a time?',
    { ...WEEK, groupBy: ['application'], top: 2, details: ['longest', 'count'] },
    537,
    {
      ...whole(537, 100, 5, 180, '13T09:00', '17T23:00'),
      groups: [
        group('Code', 287, 53.4, { count: 4, longestMinutes: 120 }),
        group('Excel', 120, 22.3, { count: 1, longestMinutes: 120 }),
      ],
      others: { groups: 3, totalMinutes: 130 },
    },
  ],
  [
    'Project A or Project B: which took more?',
    { ...MONTH, any: ['tag:"Project A"', 'tag:"Project B"'], groupBy: ['tag'] },
    597,
    {
      ...whole(300, 50.3, 3, 120, '13T09:00', '16T15:00'),
      groups: [group('Project A', 180, 60), group('Project B', 120, 40)],
    },
  ],
  [
    'When did I start and stop each day this week?',
    { ...WEEK, groupBy: ['day'], details: ['first', 'last'] },
    537,
    {
      ...whole(537, 100, 5, 180, '13T09:00', '17T23:00'),
      groups: [
        group('2025-01-13', 150, 27.9, between('13T09:00', '13T11:30')),
        group('2025-01-14', 180, 33.5, between('14T09:00', '14T12:00')),
        group('2025-01-16', 147, 27.4, between('16T14:00', '16T16:30')),
        group('2025-01-17', 60, 11.2, between('17T22:00', '17T23:00')),
      ],
    },
  ],
  [
    'Which was my busiest day this month?',
    { ...MONTH, groupBy: ['day'], top: 1 },
    597,
    {
      ...whole(597, 100, 6, 180, '11T10:00', '17T23:00'),
      groups: [group('2025-01-14', 180, 30.2)],
      others: { groups: 4, totalMinutes: 417 },
    },
  ],
  [
    'On which day of the week do I work most?',
    { ...MONTH, groupBy: ['weekday'] },
    597,
    {
      ...whole(597, 100, 6, 180, '11T10:00', '17T23:00'),
      groups: [
        group('Monday', 150, 25.1),
        group('Tuesday', 180, 30.2),
        group('Thursday', 147, 24.6),
        group('Friday', 60, 10.1),
        group('Saturday', 60, 10.1),
      ],
    },
  ],
  [
    'What is my top application of each week?',
    { ...MONTH, groupBy: ['week', 'application'], top: 1 },
    597,
    {
      ...whole(597, 100, 6, 180, '11T10:00', '17T23:00'),
      groups: [
        group('2025-01-06', 60, 10.1, { groups: [group('Code', 60, 100)] }),
        group('2025-01-13', 537, 89.9, {
          groups: [group('Code', 287, 53.4)],
          others: { groups: 4, totalMinutes: 250 },
        }),
      ],
    },
  ],
  [
    'Which websites take my time when I am not in Excel?',
    { ...WEEK, none: ['application:excel'], groupBy: ['site'] },
    537,
    {
      ...whole(417, 77.7, 5, 150, '13T09:00', '17T23:00'),
      groups: [group('github.com', 60, 14.4)],
      ungroupedMinutes: 357,
    },
  ],
  [
    'When was I last in Excel?',
    { startDate: 'last year', endDate: 'now', all: ['application:excel'] },
    657,
    whole(120, 18.3, 1, 120, '14T10:00', '14T12:00'),
  ],
];

const clock = fixedClock(NOW);
/** Three weeks of rows. */
const demo = openTestServer('', { demo: true }, { clock });
afterAll(() => demo[Symbol.asyncDispose]());

test.each(QUESTIONS)(
  'written questions are answered in one call under 4 kB: %s',
  async (_, args, activeMinutes, expected) => {
    await using server = served(fixture, {}, { clock });
    const { startDate, endDate, truncation, ...answer } = await server.answer('sum_time', { ...args });
    expect(answer).toEqual({ activeMinutes, ...expected, diagnostics: { degraded: false } });
    expect(JSON.stringify(await demo.answer('sum_time', { ...args })).length).toBeLessThan(4000);
  },
);
