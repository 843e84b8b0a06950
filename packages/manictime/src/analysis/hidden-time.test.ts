import { temporaryFolder } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { DOCUMENTS, type Fixture, type FixtureRow, writeFixture } from '../testing/fixture.ts';
import { DAY, openTestManicTime, openTestServer, row } from '../testing/test-server.ts';

const PLUGIN = 20;
const timelines = [{ report: PLUGIN, schema: 'Plugins/Chat' }];

function written(fixture: Fixture): string {
  const folder = temporaryFolder();
  writeFixture(folder, { timelines, ...fixture });
  return folder;
}

const plugin = (from: string, to: string, name: string) => row(from, to, name, { report: PLUGIN, name });

/** A window of which ManicTime knows only the title. */
function nameless(from: string, to: string, name: string, id: number): FixtureRow {
  const { group: _, ...rest } = row(from, to, '', { name, id });
  return rest;
}

describe('what a plugin tracked', () => {
  const fixture = {
    applications: [
      row('08:00', '09:00', 'Code'),
      row('09:00', '10:00', 'Slack'),
      row('10:00', '11:00', 'Code'),
    ],
    documents: [
      plugin('08:30', '09:00', 'before'),
      plugin('08:59:59', '09:10', 'into'),
      plugin('09:00', '09:00', 'moment'),
      plugin('09:20', '09:30', 'inside'),
      plugin('08:00', '11:00', 'around'),
      plugin('10:00', '10:10', 'after'),
      plugin('10:20', '10:30', 'Slack call'),
    ],
  };

  test('is excluded while an excluded window was in the foreground', async () => {
    await using server = openTestServer(written(fixture), { exclude: ['app:slack'] });
    const answer = await server.answer('get_activities', { timelineId: PLUGIN, ...DAY });
    expect(answer).toMatchObject({
      activities: [{ name: 'before' }, { name: 'after' }, { name: 'Slack call' }],
      count: 3,
      hidden: { activities: 4 },
    });
  });

  test('is redacted while a redacted window was in the foreground', async () => {
    await using server = openTestServer(written(fixture), { redact: ['slack'] });
    const answer = await server.answer('get_activities', { timelineId: PLUGIN, ...DAY });
    expect(answer).toMatchObject({ count: 7, hidden: { activities: 5 } });
    const { activities } = answer as { activities: { name: string }[] };
    expect(activities.map(({ name }) => name)).toEqual([
      '[redacted]',
      'before',
      '[redacted]',
      '[redacted]',
      '[redacted]',
      'after',
      '[redacted]',
    ]);
  });

  test('is hidden by a rule for a program that the plugin names', async () => {
    await using server = openTestServer(written(fixture), { exclude: ['app:inside'] });
    const answer = await server.answer('get_activities', { timelineId: PLUGIN, ...DAY });
    expect(answer).toMatchObject({ count: 6 });
  });
});

describe('a window without a program', () => {
  const fixture = {
    applications: [
      row('08:00', '09:00', 'Code', { id: 1 }),
      nameless('09:00', '10:00', 'Database.kdbx - KeePass', 2),
      row('10:00', '11:00', 'Code', { id: 3 }),
    ],
    documents: [
      row('09:00', '09:20', 'a.example', {
        type: 'ManicTime/WebSites',
        name: 'https://a.example/',
        relatedId: 2,
      }),
      row('09:20', '09:30', 'b.example', { type: 'ManicTime/WebSites', name: 'https://b.example/' }),
      plugin('09:40', '09:50', 'vault'),
    ],
  };
  const shots = ['08:30:00', '09:30:00', '10:30:00'];
  const secrets = /KeePass|kdbx|a\.example|b\.example|vault/;

  test.each([
    ['exclude', 120],
    ['redact', 180],
  ] as const)('is hidden while an app rule exists: %s', async (effect, minutes) => {
    await using server = openTestServer(written({ ...fixture, shots }), { [effect]: ['app:keepass'] });
    const narrative = await server.answer('get_activity_narrative', { ...DAY, includeSummary: true });
    expect(narrative).toMatchObject({
      totalActiveMinutes: minutes,
      diagnostics: { reasonCode: 'NotYetAttributable' },
    });
    const answers = [
      narrative,
      await server.answer('get_activities', { timelineId: 3, ...DAY }),
      await server.answer('get_activities', { timelineId: 4, ...DAY }),
      await server.answer('get_activities', { timelineId: PLUGIN, ...DAY }),
      await server.answer('get_website_usage', DAY),
    ];
    expect(JSON.stringify(answers)).not.toMatch(secrets);
    const listed = await server.answer('list_screenshots', DAY);
    expect(listed).toMatchObject({ hidden: { screenshots: 1 } });
  });

  test('is shown if the rules name sites and titles only', async () => {
    await using server = openTestServer(written(fixture), { exclude: ['title:salary', 'site:c.example'] });
    const answer = await server.answer('get_activities', { timelineId: 3, ...DAY });
    expect(JSON.stringify(answer)).toContain('kdbx');
  });

  test('does not make a rule that names nothing look used', async () => {
    await using manictime = openTestManicTime({
      dataDir: written({ ...fixture, shots }),
      exclude: ['app:slak'],
    });
    expect(await manictime.records.query('ruleReport', undefined)).toMatchObject({
      rules: [{ text: 'app:slak', activities: 0 }],
      unattributed: { activities: 3 },
    });
  });
});

test('a screenshot within 10 seconds of hidden time is hidden, also over midnight', async () => {
  const shots = ['08:59:49', '08:59:50', '08:59:59', '10:00:09', '10:00:10', '23:59:51', '23:59:49'];
  const folder = written({
    applications: [
      row('08:00', '09:00', 'Code'),
      row('09:00', '10:00', 'Slack'),
      row('10:00', '2025-01-16 00:00:00', 'Code'),
      row('2025-01-16 00:00:00', '2025-01-16 01:00:00', 'Slack'),
    ],
    shots,
  });
  await using server = openTestServer(folder, { exclude: ['app:slack'] });
  const listed = (await server.answer('list_screenshots', DAY)) as {
    screenshots: { displayLocalTime: string }[];
  };
  expect(listed.screenshots.map(({ displayLocalTime }) => displayLocalTime.slice(11))).toEqual([
    '08:59:49',
    '10:00:10',
    '23:59:49',
  ]);
  expect(listed).toMatchObject({ hidden: { screenshots: 4 } });
  await using open = openTestServer(folder);
  const all = (await open.answer('list_screenshots', DAY)) as { screenshots: { screenshotRef: string }[] };
  expect(
    await server.failure('get_screenshot', { screenshotRef: all.screenshots[2]?.screenshotRef }),
  ).toMatchObject({ code: 'NOT_FOUND' });
});

test('a page that outlasts its window over midnight hides that window alone, in a range of any length', async () => {
  const folder = written({
    applications: [
      row('2025-01-14 23:00:00', '2025-01-14 23:50:00', 'Browser', { id: 1 }),
      row('2025-01-14 23:50:00', '02:00', 'Code', { id: 2 }),
    ],
    documents: [row('2025-01-14 23:00:00', '00:30', 'secret.test', { id: 3, relatedId: 1 })],
    shots: ['01:00:00'],
  });
  await using server = openTestServer(folder, { exclude: ['site:secret.test'] });
  for (const endDate of ['2025-01-16T00:00:00', '2025-01-17T00:00:00']) {
    const listed = await server.answer('list_screenshots', { startDate: '2025-01-15T00:00:00', endDate });
    expect(listed, endDate).toMatchObject({ screenshots: [{ displayLocalTime: '2025-01-15 01:00:00' }] });
  }
});

test('a tag that lies in hidden time is hidden, because ManicTime also sets tags by the window', async () => {
  const folder = written({
    applications: [
      row('08:00', '09:00', 'Code'),
      row('09:00', '10:00', 'Slack'),
      row('10:00', '11:00', 'Code'),
    ],
    tags: [
      row('08:00', '10:30', '', { name: 'Project A' }),
      row('09:00', '10:00', '', { name: 'HR channel' }),
      row('09:59:58', '10:00:05', '', { name: 'HR second' }),
      row('10:00', '10:20', '', { name: 'Project B' }),
    ],
  });
  for (const rules of [{ exclude: ['app:slack'] }, { redact: ['app:slack'] }]) {
    await using server = openTestServer(folder, rules);
    const listed = await server.answer('get_tags', DAY);
    const sums = await server.answer('sum_time', { ...DAY, groupBy: ['tag'] });
    const found = await server.answer('search_activities', { ...DAY, tag: 'HR' });
    const text = JSON.stringify([
      listed,
      sums,
      await server.answer('get_daily_summary', { date: '2025-01-15' }),
    ]);
    expect(text).not.toContain('HR');
    expect(text).toContain('Project A');
    expect(text).toContain('Project B');
    expect(found).toMatchObject({ totalMinutes: 0 });
    expect(listed).toMatchObject({ hidden: { activities: 2 } });
  }
});

test.each(['title:hr', 'hr'])(
  'the rule %s hides what a plugin tracked by the name of its group',
  async (rule) => {
    const folder = written({
      applications: [row('09:00', '10:00', 'Code')],
      documents: [row('09:00', '09:30', 'HR secret', { report: PLUGIN, name: 'Call' })],
    });
    await using server = openTestServer(folder, { exclude: [rule] });
    const answer = await server.answer('get_activities', { timelineId: PLUGIN, ...DAY });
    expect(answer).toMatchObject({ count: 0, hidden: { activities: 1 } });
    expect(JSON.stringify(answer)).not.toMatch(/hr secret/i);
  },
);

test('a rule that needs the name of a group and a title together hides nothing, and is reported as unused', async () => {
  const folder = written({
    applications: [row('09:00', '10:00', 'Excel')],
    documents: [row('09:00', '10:00', 'Budget', { type: 'ManicTime/Files', name: 'q3.xlsx' })],
    tags: [row('09:00', '10:00', 'Budget', { name: 'Client A' })],
  });
  const exclude = ['title:budget*q3', 'budget*client', 'title:budget', 'title:client*a'];
  await using manictime = openTestManicTime({ dataDir: folder, exclude });
  expect(await manictime.records.query('unusedRules', undefined)).toEqual(exclude.slice(0, 2));
  await using server = openTestServer(folder, { exclude: exclude.slice(0, 2) });
  expect(await server.answer('get_activities', { timelineId: DOCUMENTS, ...DAY })).toMatchObject({
    count: 1,
  });
  expect(await server.answer('get_tags', DAY)).toMatchObject({ count: 1 });
});

test('an event of the future does not move the last days of which rules are reported', async () => {
  const folder = written({
    applications: [row('09:00', '10:00', 'Slack')],
    documents: [plugin('2026-01-15 09:00:00', '2026-01-15 10:00:00', 'Review')],
  });
  await using manictime = openTestManicTime({ dataDir: folder, exclude: ['app:slack'] });
  expect(await manictime.records.query('unusedRules', undefined)).toEqual([]);
  expect(await manictime.records.query('ruleReport', undefined)).toMatchObject({
    rules: [{ activities: 1 }],
  });
});
