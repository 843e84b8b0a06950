import { join } from 'node:path';
import { connectInProcess, firstText, fixedClock, type Peer, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { writeDataFolder } from '../demo/demo-folder.ts';
import { openManicTime } from '../manictime.ts';
import { manictimeServer } from '../server.ts';

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

const YESTERDAY = { startDate: 'yesterday', endDate: 'today' };
const WEEK = { startDate: '-7d', endDate: 'today' };
const MONTH = { startDate: '2026-10-20', endDate: '2026-11-20' };
const SHOTS = { startDate: '2026-11-20T09:55', endDate: '2026-11-20T10:05' };

/** What users of ManicTime ask in its forum, in its manual and of other time trackers, and the calls that answer it. */
const QUESTIONS: readonly (readonly [question: string, ...calls: readonly Call[]])[] = [
  ['What did I do yesterday?', ['get_activity_narrative', { ...YESTERDAY, includeSummary: true }]],
  ['What did I do yesterday, roughly?', ['get_activity_narrative', { ...YESTERDAY, detail: 'brief' }]],
  ['What did I do this morning?', ['get_activity_narrative', { startDate: 'today', endDate: 'now' }]],
  ['How was my week?', ['get_period_summary', WEEK]],
  ['How many hours did I work last month?', ['get_period_summary', MONTH]],
  ['How many hours for Project A in the last month?', ['get_tags', { ...MONTH, limit: 1 }]],
  ['Which tags did I use this week, and how long?', ['get_tags', WEEK]],
  ['When did I work on the requirements?', ['search_activities', { ...MONTH, text: 'Requirements' }]],
  [
    'How long was I on github.com this week?',
    ['search_activities', { ...WEEK, website: 'github', limit: 1 }],
  ],
  ['Which websites take most of my time?', ['get_website_usage', { ...WEEK, limit: 10 }]],
  ['How much time in Outlook each day this month?', ['get_application_usage', { ...MONTH, name: 'outlook' }]],
  [
    'At which hours do I write mail?',
    ['get_application_usage', { ...WEEK, name: 'outlook', granularity: 'hour' }],
  ],
  ['Which files did I work on yesterday?', ['get_document_usage', YESTERDAY]],
  ['When did I start and stop each day this week?', ['get_period_summary', WEEK]],
  ['How long were my breaks yesterday?', ['get_computer_usage', YESTERDAY]],
  ['How much time was I away this month?', ['get_computer_usage', { ...MONTH, limit: 1 }]],
  [
    'What was on my screen at 10:00?',
    ['list_screenshots', SHOTS],
    ['get_screenshot', { screenshotRef: '$screenshotRef' }],
  ],
  ['Which were my busiest days?', ['get_period_summary', MONTH]],
  ['What did I do in the meeting on work item 2?', ['search_activities', { ...WEEK, title: 'work item 2' }]],
  ['Which timelines and computers are tracked?', ['get_timelines', {}]],
];

test('twenty questions are answered with one or two calls and less than 60 kB (vitest -u writes the table)', async () => {
  const folder = temporaryFolder();
  const data = { profile: 'typical', days: 33, until: '2026-11-20', seed: 7, screenshotDays: 1 } as const;
  await writeDataFolder({ folder, ...data });
  const clock = fixedClock(new Date('2026-11-20T16:00:00').toISOString());
  await using manictime = openManicTime({ dataDir: folder }, { clock });
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
  const rows: string[] = [];
  for (const [question, ...calls] of QUESTIONS) {
    const bytes = await bytesOf(peer, calls);
    expect(bytes, question).toBeLessThan(60_000);
    const shown = calls.map(([tool, args]) => `\`${tool}\` ${argumentsText(args)}`.trim()).join('<br>');
    rows.push(`| ${question} | ${shown} | ${(bytes / 1000).toFixed(1)} |`);
  }
  expect(rows).toHaveLength(20);
  const page = [
    '# Twenty questions about ManicTime data',
    '',
    'Each question with the calls that answer it, on demo data of a typical person (1,150 rows per weekday). Size is the text of',
    'all answers in kilobytes; four bytes are about one token. A test writes this page.',
    '',
    '| Question | Calls | kB |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ];
  await expect(page.join('\n')).toMatchFileSnapshot(
    join(import.meta.dirname, '../../../../docs/manictime-questions.md'),
  );
}, 60_000);

async function bytesOf(peer: Peer, calls: readonly Call[]): Promise<number> {
  let bytes = 0;
  let screenshotRef: unknown;
  for (const [tool, args] of calls) {
    const given = 'screenshotRef' in args ? { screenshotRef } : args;
    const result = await peer.callTool(tool, { ...given });
    expect(result.isError ?? false, tool).toBe(false);
    for (const block of result.content) if (block.type === 'text') bytes += Buffer.byteLength(block.text);
    if (tool !== 'list_screenshots') continue;
    const { screenshots } = JSON.parse(firstText(result)) as { screenshots: { screenshotRef: string }[] };
    screenshotRef = screenshots[0]?.screenshotRef;
  }
  return bytes;
}

function argumentsText(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .map(([name, value]) => `${name}=${String(value).replace('$', '…')}`)
    .join(', ');
}
