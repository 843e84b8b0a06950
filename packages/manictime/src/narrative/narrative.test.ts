import { describe, expect, test } from 'vitest';
import { narrative, row, type Told } from '../testing/narrative.ts';

/** A time of the clock, seconds after nine. */
function afterNine(second: number): string {
  return new Date(Date.UTC(2025, 0, 15, 9, 0, second)).toISOString().slice(11, 19);
}

const told = ({ segments }: Told) =>
  segments.map(({ start, end, application, durationMinutes }) => [
    start.slice(11, 16),
    end.slice(11, 16),
    application,
    durationMinutes,
  ]);

describe('segments', () => {
  test('neighbours of one application within the gap are one, and the gap is not counted', async () => {
    const applications = [
      row('09:00', '10:00', 'Code'),
      row('10:01', '11:00', 'Code'),
      row('11:03', '12:00', 'Code'),
    ];
    expect(told(await narrative({ applications }))).toEqual([
      ['09:00', '11:00', 'Code', 119],
      ['11:03', '12:00', 'Code', 57],
    ]);
    expect(told(await narrative({ applications }, { maxGapMinutes: 5 }))).toEqual([
      ['09:00', '12:00', 'Code', 176],
    ]);
  });

  test('a glance away is taken in, with its time; a longer look and a far one are not', async () => {
    const glance = [
      row('09:00', '10:00', 'Code'),
      row('10:00:00', '10:00:20', 'Mail'),
      row('10:00:20', '11:00', 'Code'),
    ];
    const answer = await narrative({ applications: glance });
    expect(told(answer)).toEqual([['09:00', '11:00', 'Code', 120]]);
    expect(answer.totalActiveMinutes).toBe(120);
    const look = [
      row('09:00', '10:00', 'Code'),
      row('10:00:00', '10:00:30', 'Mail'),
      row('10:00:30', '11:00', 'Code'),
    ];
    expect(told(await narrative({ applications: look }))).toHaveLength(3);
    // Far on one side is far.
    const late = [
      row('08:00', '09:00', 'Code'),
      row('12:00:00', '12:00:20', 'Mail'),
      row('12:00:20', '12:30', 'Code'),
    ];
    expect(told(await narrative({ applications: late }))).toHaveLength(3);
    const early = [
      row('08:00', '09:00', 'Code'),
      row('09:00:00', '09:00:20', 'Mail'),
      row('12:00', '12:30', 'Code'),
    ];
    expect(told(await narrative({ applications: early }))).toHaveLength(3);
    const far = [
      row('08:00', '09:00', 'Code'),
      row('12:00:00', '12:00:20', 'Mail'),
      row('16:00', '17:00', 'Code'),
    ];
    expect(told(await narrative({ applications: far }))).toEqual([
      ['08:00', '09:00', 'Code', 60],
      ['12:00', '12:00', 'Mail', 0.3],
      ['16:00', '17:00', 'Code', 60],
    ]);
  });

  test('away, locked and off are cut out, also within one window', async () => {
    const usage = [
      row('08:00', '09:30', 'Active'),
      row('09:30', '10:00', 'Away'),
      row('10:00', '11:00', 'Active'),
      row('11:00', '12:00', 'Session lock'),
    ];
    const answer = await narrative({ applications: [row('09:00', '12:00', 'Code')], usage });
    expect(told(answer)).toEqual([
      ['09:00', '09:30', 'Code', 30],
      ['10:00', '11:00', 'Code', 60],
    ]);
    expect(answer.totalActiveMinutes).toBe(90);
  });

  test('a window over midnight counts on each day for its own part', async () => {
    const applications = [
      row('2025-01-14 23:30:00', '00:30', 'Code'),
      row('23:45', '2025-01-16 01:00:00', 'Mail'),
    ];
    const answer = await narrative({ applications });
    expect(told(answer)).toEqual([
      ['00:00', '00:30', 'Code', 30],
      ['23:45', '00:00', 'Mail', 15],
    ]);
    expect(answer.segments[1]?.end).toBe('2025-01-16T00:00:00');
  });

  test('the day on which the clock is turned back has 25 hours', async () => {
    const before = { offset: 2 };
    const applications = [
      row('2025-10-26 00:00:00', '2025-10-26 02:30:00', 'Code', before),
      row('2025-10-26 02:30:00', '2025-10-26 23:59:59', 'Mail', { offset: 1 }),
    ];
    const answer = await narrative({ applications }, { startDate: '2025-10-26', endDate: '2025-10-27' });
    // 02:30 summer time is an hour before 02:30 winter time: the hour between was not tracked.
    expect(answer.totalActiveMinutes).toBe(24 * 60);
    const overlapping = [
      row('2025-10-26 01:00:00', '2025-10-26 02:50:00', 'Code', before),
      row('2025-10-26 02:00:00', '2025-10-26 03:00:00', 'Mail', { offset: 1 }),
    ];
    const fold = await narrative(
      { applications: overlapping },
      { startDate: '2025-10-26', endDate: '2025-10-27' },
    );
    expect(fold.totalActiveMinutes).toBe(170);
  });

  test('filters and caps change the list, never the total', async () => {
    const applications = [
      row('09:00', '10:00', 'Code'),
      row('10:00', '10:05', 'Mail'),
      row('10:05', '11:00', 'Chat'),
    ];
    const filtered = await narrative({ applications }, { minDurationMinutes: 30 });
    expect(filtered).toMatchObject({
      totalActiveMinutes: 120,
      truncation: { truncated: false, returnedCount: 2, totalAvailable: 2 },
    });
    expect(await narrative({ applications }, { maxSegments: 3 })).toMatchObject({
      truncation: { truncated: false, returnedCount: 3, totalAvailable: 3 },
    });
    expect(await narrative({ applications }, { maxSegments: 2 })).toMatchObject({
      totalActiveMinutes: 120,
      truncation: { truncated: true, returnedCount: 2, totalAvailable: 3 },
    });
  });

  test('a thousand windows of three seconds are fifty minutes', async () => {
    const applications = Array.from({ length: 1000 }, (_, index) =>
      row(afterNine(index * 3), afterNine(index * 3 + 3), `App ${index % 7}`),
    );
    const answer = await narrative({ applications }, { maxGapMinutes: 0, maxSegments: 2000 });
    expect(answer.totalActiveMinutes).toBe(50);
  });

  test('two windows that claim the same seconds share them: the later one has them', async () => {
    const applications = [row('09:00', '10:00', 'Code'), row('09:30', '09:40', 'Mail')];
    const answer = await narrative({ applications });
    expect(told(answer)).toEqual([
      ['09:00', '09:30', 'Code', 30],
      ['09:30', '09:40', 'Mail', 10],
      ['09:40', '10:00', 'Code', 20],
    ]);
    expect(answer.totalActiveMinutes).toBe(60);
  });
});

test('several Applications timelines count together, each second once', async () => {
  const answer = await narrative({
    timelines: [{ report: 13, schema: 'ManicTime/Applications', environment: 2 }],
    applications: [row('09:00', '10:00', 'Code'), row('09:30', '11:00', 'Mail', { report: 13 })],
  });
  expect(answer.totalActiveMinutes).toBe(120);
});
