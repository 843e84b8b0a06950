import { expect, test } from 'vitest';
import { localClock } from '../../testing/random-database.ts';
import { type Activity, localOf, pieceIn } from './activity.ts';

const HOUR = 3600;

function rowOf(start: number, end: number, local: (instant: number) => number): Activity {
  const timeline = {
    reportId: 3,
    schemaName: 'ManicTime/Applications',
    baseSchemaName: undefined,
    environment: undefined,
    kind: 'applications',
  } as const;
  const times = { start, end, localStart: local(start), localEnd: local(end) };
  return {
    ...times,
    timeline,
    activityId: 1,
    name: 'x',
    groupId: undefined,
    group: undefined,
    relatedId: undefined,
    groupListId: undefined,
  };
}

/** When clocks change, and by how many hours. */
const CHANGES = [
  ['Europe/Berlin', '2025-03-30T01:00:00Z', 1],
  ['Europe/Berlin', '2025-10-26T01:00:00Z', -1],
  ['America/New_York', '2025-03-09T07:00:00Z', 1],
  ['America/New_York', '2025-11-02T06:00:00Z', -1],
  ['America/St_Johns', '2025-03-09T05:30:00Z', 1],
  ['Australia/Sydney', '2025-04-05T16:00:00Z', -1],
  ['Australia/Lord_Howe', '2025-10-04T15:30:00Z', 0.5],
  ['Asia/Jerusalem', '2025-03-28T00:00:00Z', 1],
] as const;

test.each(CHANGES)(
  'a row over the change of the clock in %s at %s has the local time of each instant',
  (zone, at, hours) => {
    const local = localClock(zone);
    const change = Date.parse(at) / 1000;
    expect(local(change) - local(change - 1)).toBe(1 + hours * HOUR);
    for (const [before, after] of [
      [10, 4 * HOUR],
      [3 * HOUR, 10],
      [5 * HOUR, 5 * HOUR],
      [1, 1],
    ] as const) {
      const row = rowOf(change - before, change + after, local);
      for (const instant of [row.start, change - 1, change, change + 1, change + after / 2, row.end])
        expect(localOf(row, instant), `${instant - change} s after the change`).toBe(local(instant));
    }
  },
);

test.each(CHANGES)(
  'a part of a row over the change in %s at %s has the seconds that are in the range',
  (zone, at, hours) => {
    const local = localClock(zone);
    const change = Date.parse(at) / 1000;
    const row = rowOf(change - 3 * HOUR, change + 3 * HOUR, local);
    const seconds = Array.from({ length: 6 * HOUR }, (_, index) => local(row.start + index));
    const counted = (from: number, to: number) => seconds.filter((each) => each >= from && each < to).length;
    // Hours that are there twice are left out.
    const edges = [
      row.localStart + 600,
      local(change - 1) + 1 - Math.max(0, -hours) * HOUR,
      local(change) + Math.max(0, -hours) * HOUR,
      row.localEnd - 700,
    ];
    for (const from of edges)
      for (const to of edges.filter((edge) => edge > from)) {
        const { start, end } = pieceIn(row, { from, to });
        expect(end - start, `from ${from} to ${to}`).toBe(counted(from, to));
      }
    const { start, end } = pieceIn(row, { from: row.localStart - HOUR, to: row.localEnd + HOUR });
    expect([start, end]).toEqual([row.start, row.end]);
  },
);

test('a row over a trip changes its clock in the middle', () => {
  const noon = Date.parse('2025-05-01T12:00:00Z') / 1000;
  const local = (instant: number) => instant + (instant <= noon ? 1 : 8) * HOUR;
  const row = rowOf(noon, noon + 4 * HOUR, local);
  expect(localOf(row, noon + 2 * HOUR - 1)).toBe(noon + 3 * HOUR - 1);
  expect(localOf(row, noon + 2 * HOUR)).toBe(noon + 10 * HOUR);
});

test('a difference that no clock has counts from the middle', () => {
  const start = Date.parse('2025-05-01T12:00:00Z') / 1000;
  const row = rowOf(start, start + 1000, (instant) => instant + HOUR + (instant > start ? 7 : 0));
  expect(localOf(row, start + 499)).toBe(start + HOUR + 499);
  expect(localOf(row, start + 500)).toBe(start + HOUR + 507);
});
