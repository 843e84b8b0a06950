import { expect, test } from 'vitest';
import { DAY, file, narrative, row, served, site } from '../testing/test-server.ts';

test('search_activities and sum_time find the same time by the name of a file and by its path', async () => {
  const figures = { name: String.raw`C:\work\q3.xlsx`, relatedId: 1 };
  await using server = served({
    applications: [row('10:00', '11:00', 'Excel', { id: 1, name: 'Sheet' })],
    documents: [file('10:00', '10:20', 'Quarterly figures', figures)],
  });
  for (const words of ['quarterly figures', 'q3.xlsx']) {
    const summed = await server.answer('sum_time', { ...DAY, all: [`file:${words}`] });
    expect(summed, words).toMatchObject({ totalMinutes: 20 });
    for (const field of ['document', 'text']) {
      const found = await server.answer('search_activities', { ...DAY, [field]: words });
      expect(found, `${field} ${words}`).toMatchObject({ totalMinutes: 20 });
    }
  }
});

test('the title, the document and the website of a segment are of one moment, and websiteMinutes is the time of the website', async () => {
  const titles = [0, 2, 4, 6].map((minute) =>
    row(`09:0${minute}`, `09:0${minute + 2}`, 'Chrome', { name: `Issue ${minute}`, id: minute + 1 }),
  );
  const { segments } = await narrative({
    applications: [
      ...titles,
      row('09:08', '09:16', 'Chrome', { name: 'Your salary statement - Payroll', id: 20 }),
    ],
    documents: [
      site('09:00', '09:08', 'github.com'),
      site('09:08', '09:16', 'payroll.example', { relatedId: 20 }),
    ],
  });
  const of = { title: 'Your salary statement - Payroll', website: 'payroll.example' };
  expect(segments).toMatchObject([{ ...of, durationMinutes: 16, websiteMinutes: 8 }]);
});

test.each([
  ['Berlin', '2026-03-28 12:00:00', '2026-03-29 04:00:00', 1, 2, 720, 180],
  ['Berlin', '2025-10-25 12:00:00', '2025-10-26 04:00:00', 2, 1, 720, 300],
  ['New York', '2026-03-07 12:00:00', '2026-03-08 04:00:00', -5, -4, 720, 180],
])(
  'a window over midnight in the night of a clock change in %s counts on both days (%s to %s)',
  async (_zone, from, to, offset, endOffset, before, after) => {
    const offsets = { offset, endOffset };
    await using server = served({
      applications: [row(from, to, 'Code', offsets)],
      usage: [row(from, to, 'Active', offsets)],
    });
    const day = Date.parse(`${to.slice(0, 10)}T00:00:00Z`);
    const date = (days: number) => new Date(day + days * 86_400_000).toISOString().slice(0, 10);
    const minutes = async (start: string, end: string) =>
      (await server.answer('get_activity_narrative', { startDate: start, endDate: end }))[
        'totalActiveMinutes'
      ];
    expect(await minutes(date(-1), date(0))).toBe(before);
    expect(await minutes(date(0), date(1))).toBe(after);
    const usage = await server.answer('get_computer_usage', { startDate: date(-1), endDate: date(1) });
    expect(usage).toMatchObject({
      totals: [{ breakdown: [{ minutes: before }, { minutes: after }] }],
    });
  },
);
