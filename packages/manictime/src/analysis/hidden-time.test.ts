import { describe, expect, test } from 'vitest';
import { DOCUMENTS, type Fixture } from '../testing/fixture.ts';
import { DAY, file, named, row, served as servedWith, site } from '../testing/test-server.ts';

const PLUGIN = 20;
const timelines = [{ report: PLUGIN, schema: 'Plugins/Chat' }];

const served = (fixture: Fixture, options: Parameters<typeof servedWith>[1]) =>
  servedWith({ timelines, ...fixture }, options);

const plugin = (from: string, to: string, name: string) => row(from, to, name, { report: PLUGIN, name });

describe('a window without a program', () => {
  const fixture = {
    applications: [
      row('08:00', '09:00', 'Code', { id: 1 }),
      named('09:00', '10:00', 'Database.kdbx - KeePass', { id: 2 }),
      row('10:00', '11:00', 'Code', { id: 3 }),
    ],
    documents: [
      site('09:00', '09:20', 'a.example', { relatedId: 2 }),
      site('09:20', '09:30', 'b.example'),
      plugin('09:40', '09:50', 'vault'),
    ],
    shots: ['08:30:00', '09:30:00', '10:30:00', '12:00:00'],
  };

  test.each([
    ['exclude', 120],
    ['redact', 180],
  ] as const)('is hidden while an app rule exists: %s', async (effect, minutes) => {
    await using server = served(fixture, { [effect]: ['app:keepass'] });
    const narrative = await server.answer('get_activity_narrative', { ...DAY, includeSummary: true });
    expect(narrative).toMatchObject({
      totalActiveMinutes: minutes,
      diagnostics: { reasonCode: 'NotYetAttributable' },
    });
    const answers = [narrative, await server.answer('get_website_usage', DAY)];
    for (const timelineId of [3, DOCUMENTS, PLUGIN])
      answers.push(await server.answer('get_activities', { timelineId, ...DAY }));
    expect(JSON.stringify(answers)).not.toMatch(/KeePass|kdbx|a\.example|b\.example|vault/);
    expect(await server.answer('list_screenshots', DAY)).toMatchObject({ hidden: { screenshots: 2 } });
  });

  test('is shown if the rules name sites and titles only', async () => {
    await using server = served(fixture, { exclude: ['title:salary', 'site:c.example'] });
    const answer = await server.answer('get_activities', { timelineId: 3, ...DAY });
    expect(JSON.stringify(answer)).toContain('kdbx');
  });

  test('does not make a rule that names nothing look used', async () => {
    await using server = served(fixture, { exclude: ['app:slak'] });
    expect(await server.records.query('ruleReport', undefined)).toMatchObject({
      rules: [{ text: 'app:slak', activities: 0 }],
      all: { activities: 3, screenshots: 2 },
      unattributed: { activities: 3, screenshots: 1 },
    });
  });
});

test('a page that outlasts its window over midnight hides that window alone, in a range of any length', async () => {
  const fixture = {
    applications: [
      row('2025-01-14 23:00:00', '2025-01-14 23:50:00', 'Browser', { id: 1 }),
      row('2025-01-14 23:50:00', '02:00', 'Code', { id: 2 }),
    ],
    documents: [row('2025-01-14 23:00:00', '00:30', 'secret.test', { id: 3, relatedId: 1 })],
    shots: ['01:00:00'],
  };
  await using server = served(fixture, { exclude: ['site:secret.test'] });
  for (const endDate of ['2025-01-16T00:00:00', '2025-01-17T00:00:00']) {
    const listed = await server.answer('list_screenshots', { startDate: '2025-01-15T00:00:00', endDate });
    expect(listed, endDate).toMatchObject({ screenshots: [{ displayLocalTime: '2025-01-15 01:00:00' }] });
  }
});

test.each(['title:hr', 'hr', 'app:hr secret'])(
  'the rule %s hides what a plugin tracked by the name of its group',
  async (rule) => {
    const documents = [row('09:00', '09:30', 'HR secret', { report: PLUGIN, name: 'Call' })];
    await using server = served(
      { applications: [row('09:00', '10:00', 'Code')], documents },
      { exclude: [rule] },
    );
    const answer = await server.answer('get_activities', { timelineId: PLUGIN, ...DAY });
    expect(answer).toMatchObject({ activities: [], hidden: { activities: 1 } });
  },
);

test('a rule that needs the name of a group and a title together hides nothing, and is reported as unused', async () => {
  const fixture = {
    applications: [row('09:00', '10:00', 'Excel')],
    documents: [file('09:00', '10:00', 'Budget', { name: 'q3.xlsx' })],
    tags: [row('09:00', '10:00', 'Budget', { name: 'Client A' })],
  };
  const unused = ['title:budget*q3', 'budget*client'];
  await using reporting = served(fixture, { exclude: [...unused, 'title:budget', 'title:client*a'] });
  expect(await reporting.records.query('unusedRules', undefined)).toEqual(unused);
  await using server = served(fixture, { exclude: unused });
  const listed = await server.answer('get_activities', { timelineId: DOCUMENTS, ...DAY });
  expect([listed, await server.answer('get_tags', DAY)]).toMatchObject([{ count: 1 }, { count: 1 }]);
});

test('an event of the future does not move the last days of which rules are reported', async () => {
  const fixture = {
    applications: [row('09:00', '10:00', 'Slack')],
    documents: [plugin('2026-01-15 09:00:00', '2026-01-15 10:00:00', 'Review')],
  };
  await using server = served(fixture, { exclude: ['app:slack'] });
  expect(await server.records.query('unusedRules', undefined)).toEqual([]);
  expect(await server.records.query('ruleReport', undefined)).toMatchObject({ rules: [{ activities: 1 }] });
});
