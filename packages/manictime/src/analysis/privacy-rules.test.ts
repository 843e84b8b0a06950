import { cpuMsOf } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { manictimeOptions } from '../options.ts';
import { TAGS } from '../testing/fixture.ts';
import { DAY, file, named, row, served } from '../testing/test-server.ts';
import { effectOnText, privacyRules, ruleProblem } from './privacy.ts';

describe('wildcards in a title rule', () => {
  test.each([
    ['title:*salary*', 'My SALARY 2025', true],
    ['title:sal?ry', 'salary', true],
    ['title:sal?ry', 'salry', false],
    ['title:bank*statement', 'bank of x: your statement', true],
    ['title:bank*statement', 'statement of the bank', false],
    ['title:?', '\u{1F600}', true],
    ['title:a.c', 'abc', false],
    ['salary', 'Salary', true],
    ['title\uFF1Asalary', 'Salary', true],
    // No prefix has ı or ß, which fold to letters of one.
    ['Sınıf: 5', 'SINIF: 5', true],
    ['Maß:x', 'Maß:x', true],
  ])('%s and "%s": %s', (rule, title, expected) => {
    expect(effectOnText(privacyRules({ exclude: [rule] }), title) === 'exclude').toBe(expected);
  });
});

test.each(['title:*bank*statement*', 'title:*a*b*c*d*', 'title:b?nk*?z'])(
  'the rule %s takes linear time on a long title that another person writes',
  (rule) => {
    const rules = privacyRules({ exclude: [rule] });
    const title = 'bank'.repeat(100_000);
    // The quadratic expression needed 17 s for this length, the cubic one days.
    expect(cpuMsOf(() => expect(effectOnText(rules, title)).toBeUndefined())).toBeLessThan(1000);
  },
);

test.each(['app:chrome', 'app:chrome.exe', 'app:google chrome', 'chrome', 'app:chr*me'])(
  'the rule %s hides Google Chrome by its name, its product, or its program',
  async (rule) => {
    const sql = "UPDATE Ar_Group SET Key = 'chrome.exe;google chrome' WHERE Name = 'Google Chrome'";
    await using server = served(
      { applications: [row('09:00', '10:00', 'Google Chrome'), row('10:00', '11:00', 'Code')], sql },
      { exclude: [rule] },
    );
    expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({
      totalActiveMinutes: 60,
      hidden: { activities: 1 },
    });
  },
);

describe('a mistyped rule', () => {
  test.each([
    ['apps:slack'],
    ['app=slack'],
    ['url:https://a.example'],
    ['domain:a.example'],
    ['site:https://a.example'],
    ['site:a.example/private'],
    ['title:'],
    ['app: '],
    ['site:*.'],
  ])('%s is refused with a line that says what is valid', (rule) => {
    expect(ruleProblem(rule)).toMatch(/^"[^\n]+$/);
    expect(() => privacyRules({ redact: [rule] })).toThrow(ruleProblem(rule));
    const { error } = manictimeOptions.schema.safeParse({ exclude: `app:slack, ${rule}` });
    expect(error?.issues).toMatchObject([{ path: ['exclude'], message: ruleProblem(rule.trim()) }]);
  });

  test.each([
    'app:slack',
    'App:Slack',
    ' SITE:bank.example',
    'site:*.bank.example',
    'title:*',
    'Re*: salary',
  ])('%s is accepted', (rule) => {
    expect(ruleProblem(rule)).toBeUndefined();
  });
});

test('a redacted row carries no identifiers, neither of its group nor of its tags', async () => {
  await using server = served(
    {
      layout: 'earlier',
      applications: [
        row('09:00', '10:00', 'Salary tool', { id: 1 }),
        row('10:00', '11:00', 'Chrome', { id: 2 }),
      ],
      sql: `INSERT INTO Ar_Tag VALUES (1, 'Deep work'); INSERT INTO Ar_ActivityTag VALUES (1, 1);`,
    },
    { redact: ['app:salary*'] },
  );
  const { activities } = (await server.answer('get_activities', { timelineId: 3, ...DAY })) as {
    activities: Record<string, unknown>[];
  };
  expect(activities[0]).toEqual({
    reportId: 3,
    startLocalTime: '2025-01-15T09:00:00',
    endLocalTime: '2025-01-15T10:00:00',
    name: '[redacted]',
    groupName: '[redacted]',
  });
  expect(JSON.stringify(await server.answer('get_activity_narrative', DAY))).not.toContain('Deep work');
});

test('a title rule hides tags, whether a row, a list or a tag table names them', async () => {
  const applications = [row('09:00', '10:00', 'Code', { id: 1 })];
  await using listed = served(
    {
      applications,
      tags: [row('09:00', '10:00', '', { name: null, id: 5 }), named('09:00', '10:00', 'Client A')],
      sql: `INSERT INTO Ar_Group (ReportId, GroupId, Name) VALUES (${TAGS}, 50, 'Salary');
            INSERT INTO Ar_GroupListItem VALUES (${TAGS}, 8, 50);
            UPDATE Ar_Activity SET GroupListId = 8 WHERE ReportId = ${TAGS} AND ActivityId = 5;`,
    },
    { exclude: ['title:salary'] },
  );
  expect(await listed.answer('get_tags', DAY)).toMatchObject({ count: 1, hidden: { activities: 1 } });
  expect(await listed.answer('get_activity_narrative', DAY)).toMatchObject({
    segments: [{ tags: ['Client A'] }],
  });
  await using attached = served(
    {
      layout: 'earlier',
      applications,
      sql: `INSERT INTO Ar_Tag VALUES (1, 'Salary'); INSERT INTO Ar_ActivityTag VALUES (1, 1);`,
    },
    { exclude: ['title:salary'] },
  );
  const answers = [
    await attached.answer('get_activity_narrative', DAY),
    await attached.answer('get_activities', { timelineId: 3, ...DAY }),
  ];
  expect(JSON.stringify(answers)).not.toContain('Salary');
});

test('if the rules hide everything, the answer does not say that nothing was tracked', async () => {
  await using server = served({ applications: [row('09:00', '10:00', 'Slack')] }, { exclude: ['app:slack'] });
  for (const tool of ['get_activity_narrative', 'get_period_summary', 'get_application_usage']) {
    expect(await server.answer(tool, DAY)).toMatchObject({
      hidden: { activities: 1 },
      diagnostics: { reasonCode: 'ActivitiesPrivate' },
    });
  }
});

test('a title rule hides a file by the name that answers show, also if its path is another', async () => {
  const figures = { name: String.raw`C:\work\q3.xlsx`, relatedId: 1 };
  const fixture = {
    applications: [row('09:00', '10:00', 'Excel', { id: 1 }), row('10:00', '11:00', 'Code', { id: 2 })],
    documents: [file('09:00', '10:00', 'Quarterly figures', figures)],
  };
  await using server = served(fixture, { exclude: ['title:quarterly'] });
  const answers = [
    await server.answer('get_document_usage', DAY),
    await server.answer('get_activities', { timelineId: 4, ...DAY }),
  ];
  expect(JSON.stringify(answers)).not.toContain('Quarterly');
  expect(await server.answer('get_activity_narrative', DAY)).toMatchObject({ totalActiveMinutes: 60 });
});
