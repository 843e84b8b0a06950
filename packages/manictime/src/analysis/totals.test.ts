import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { writeFixture } from '../testing/fixture.ts';
import { DAY, openTestServer, row, served } from '../testing/test-server.ts';

test('a tag has on each day at least the active time in it, also if its row is of another day on the clock of another computer', async () => {
  const folder = temporaryFolder();
  const far = { offset: 9, endOffset: 9 };
  writeFixture(folder, {
    timelines: [
      { report: 30, schema: 'ManicTime/Applications', environment: 2 },
      { report: 31, schema: 'ManicTime/Tags', environment: 2 },
    ],
    applications: [
      row('09:00', '10:00', 'Code'),
      row('22:00', '23:00', 'Code'),
      { ...row('2025-01-16 09:00:00', '2025-01-16 09:30:00', 'Mail', far), report: 30 },
    ],
    // 22:00 to 23:00 on the first computer.
    tags: [
      { ...row('2025-01-16 06:00:00', '2025-01-16 07:00:00', '', { name: 'Trip', ...far }), report: 31 },
    ],
  });
  await using server = openTestServer(folder, {});
  expect(await server.answer('get_tags', DAY)).toMatchObject({
    totals: [{ name: 'Trip', totalMinutes: 60, activeMinutes: 60 }],
    totalMinutes: 60,
  });
});

test('the totals of tags have the colors of ManicTime', async () => {
  await using server = served({
    applications: [row('09:00', '10:00', 'Code')],
    tags: [{ from: '2025-01-15 09:00:00', to: '2025-01-15 10:00:00', name: 'Client A' }],
    sql: `INSERT INTO Ar_Group (ReportId, GroupId, Name, Color) VALUES (7, 1, 'Client A', 'ff8800')`,
  });
  expect(await server.answer('get_tags', { startDate: '2025-01-15', endDate: '2025-01-16' })).toMatchObject({
    totals: [{ name: 'Client A', color: '#FF8800' }],
  });
});
