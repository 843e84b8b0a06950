import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { type Fixture, writeFixture } from '../testing/fixture.ts';
import { openTestServer } from '../testing/test-server.ts';

const DAY = { startDate: '2025-01-15', endDate: '2025-01-16' };
const at = (from: string, to: string) => ({ from: `2025-01-15 ${from}:00`, to: `2025-01-15 ${to}:00` });
const fixture: Fixture = {
  applications: [
    { ...at('09:00', '10:00'), group: 'Code', name: 'main.ts', id: 1 },
    { ...at('10:00', '10:30'), group: 'KeePass', name: 'vault', id: 2 },
    { ...at('10:30', '11:00'), group: 'Chrome', name: 'My account', id: 3 },
    { ...at('11:00', '12:00'), group: 'Chrome', name: 'News', id: 4 },
    { ...at('12:00', '12:30'), group: 'Word', name: 'Salary 2025.docx', id: 5 },
  ],
  documents: [
    {
      ...at('10:30', '11:00'),
      group: 'www.bank.example',
      type: 'ManicTime/WebSites',
      name: 'https://www.bank.example/me',
      relatedId: 3,
    },
    {
      ...at('11:00', '12:00'),
      group: 'news.example',
      type: 'ManicTime/WebSites',
      name: 'https://news.example/',
      relatedId: 4,
    },
  ],
  sql: `INSERT INTO Ar_ApplicationByDay (Hour, CommonId, TotalSeconds) VALUES ('2025-01-15 10:00:00', 2, 1800);
        INSERT INTO Ar_WebSiteByDay (Hour, CommonId, TotalSeconds) VALUES ('2025-01-15 10:00:00', 5, 1800);`,
};
const PRIVATE = ['KeePass', 'vault', 'bank.example', 'My account', 'Salary'];
const RULES = ['app:keepass', 'site:bank.example', 'title:salary'];
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['get_activity_narrative', { ...DAY, includeSummary: true }],
  ['get_daily_summary', { date: '2025-01-15', includeHourlyWebBreakdown: true }],
  ['get_period_summary', DAY],
  ['get_website_usage', DAY],
  ['get_application_usage', DAY],
  ['get_document_usage', DAY],
  ['get_activities', { timelineId: 3, ...DAY }],
  ['get_activities', { timelineId: 4, ...DAY }],
];

function served(options: { readonly exclude?: readonly string[]; readonly redact?: readonly string[] }) {
  const folder = temporaryFolder();
  writeFixture(folder, fixture);
  const shots = join(folder, 'Screenshots', '2025-01-15');
  mkdirSync(shots, { recursive: true });
  for (const [index, time] of ['09-30', '10-15', '10-45', '11-30', '12-15'].entries()) {
    writeFileSync(join(shots, `2025-01-15_${time}-00_01-00_800_600_${index}_0.jpg`), '');
  }
  return openTestServer(folder, options);
}

describe.each([{ exclude: RULES }, { redact: RULES }, { exclude: ['keepass', 'bank.example', 'sal?ry'] }])(
  'privacy rules %o',
  (options) => {
    test.each(CALLS)('privacy rules: %s %o contains nothing private', async (tool, args) => {
      await using server = served(options);
      const answer = JSON.stringify(await server.answer(tool, args));
      for (const word of PRIVATE) expect(answer).not.toContain(word);
    });

    test('privacy rules hide screenshots of private moments, and health reports the rules', async () => {
      await using open = served({});
      await using server = served(options);
      type Listing = { screenshots: { screenshotRef: string; displayLocalTime: string }[] };
      const all = (await open.answer('list_screenshots', DAY)) as Listing;
      const left = (await server.answer('list_screenshots', DAY)) as Listing;
      expect(all.screenshots).toHaveLength(5);
      expect(left.screenshots.map(({ displayLocalTime }) => displayLocalTime.slice(11, 16))).toEqual([
        '09:30',
        '11:30',
      ]);
      const [, secret] = all.screenshots;
      expect(await server.failure('get_screenshot', { screenshotRef: secret?.screenshotRef })).toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(await server.resource('manictime://health')).toMatchObject({
        privacy: { note: expect.any(String) },
      });
    });
  },
);

test('excluded activities appear in no answer and no total, redacted ones count', async () => {
  await using excluded = served({ exclude: RULES });
  expect(await excluded.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 120 });
  await using redacted = served({ redact: RULES });
  const answer = await redacted.answer('get_activity_narrative', { ...DAY, maxGapMinutes: 0 });
  expect(answer).toMatchObject({ totalActiveMinutes: 210 });
  expect(JSON.stringify(answer)).toContain('[redacted]');
});

test('without privacy rules nothing is hidden', async () => {
  await using server = served({});
  const answers = await Promise.all(CALLS.map(([tool, args]) => server.answer(tool, args)));
  for (const word of PRIVATE) expect(JSON.stringify(answers)).toContain(word);
});
