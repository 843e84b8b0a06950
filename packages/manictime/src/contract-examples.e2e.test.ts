// What the specification prints of answers, against the built program: it has the fields of each answer, and no whole one. The
// whole answers are those of EXAMPLES.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { cleanEnvironment, connectStdio, firstText, type Peer } from '@deskside/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeExampleFolder } from './testing/example-folder.ts';

const DAY = { startDate: '2025-01-15', endDate: '2025-01-16' };
const EMPTY_DAY = { startDate: '2031-01-01', endDate: '2031-01-02' };
const SHOT = 'sq4ie0-p0-5c-30-g76r-0';
const SHOT_FILE = 'Screenshots/2025-01-15/2025-01-15_09-30-00_01-00_192_108_755811_0.jpg';
const opened = new DisposableStack();
const folder = opened.use(temporaryFolder()).path;
const saveDir = opened.use(temporaryFolder()).path;
let peer: Peer;

beforeAll(async () => {
  await writeExampleFolder(folder);
  const cli = join(import.meta.dirname, '../dist/bin/cli.js');
  const args = [cli, '--data-dir', folder, '--save-dir', saveDir];
  const command = { command: process.execPath, args, env: cleanEnvironment(folder) };
  peer = await connectStdio(command, { era: 'modern' });
});
afterAll(async () => {
  await peer[Symbol.asyncDispose]();
  opened.dispose();
});

/** The fields of the answers as the specification prints them. */
const METADATA =
  'truncation.truncated:boolean truncation.returnedCount:number truncation.totalAvailable:number diagnostics.degraded:boolean diagnostics.reasonCode:string diagnostics.remediationHint:string';
const ANSWERS = [
  {
    tool: 'get_activity_narrative',
    args: { includeSummary: true },
    fields:
      'startDate:string endDate:string totalActiveMinutes:number segments[].start:string segments[].end:string segments[].durationMinutes:number segments[].application:string segments[].document:string segments[].website:string segments[].tags[]:string segments[].screenshotRef:string topApplications[].name:string topApplications[].color:string topApplications[].totalMinutes:number topWebsites[].name:string topWebsites[].totalMinutes:number',
    more: [
      'headline:string',
      'segments[].title:string',
      'suggestedScreenshots[].application:string',
      'suggestedScreenshots[].hint:string',
      'suggestedScreenshots[].screenshotRef:string',
      'suggestedScreenshots[].timestamp:string',
    ],
  },
  {
    tool: 'get_period_summary',
    args: {},
    fields:
      'days[].date:string days[].totalActiveMinutes:number days[].topApp:string days[].firstActivity:string days[].lastActivity:string aggregate.topApps[].name:string aggregate.topApps[].color:string aggregate.topApps[].totalMinutes:number aggregate.topWebsites[].name:string aggregate.topWebsites[].totalMinutes:number aggregate.avgDailyMinutes:number aggregate.busiestDay:string aggregate.quietestDay:string patterns.dayOfWeekDistribution[].dayOfWeek:number patterns.dayOfWeekDistribution[].totalMinutes:number',
    more: [],
  },
  {
    tool: 'get_website_usage',
    args: {},
    fields:
      'breakdownGranularity:string websites[].name:string websites[].totalMinutes:number websites[].timeBreakdown[].period:string websites[].timeBreakdown[].minutes:number',
    more: ['totalMinutes:number'],
  },
  {
    tool: 'list_screenshots',
    args: {},
    fields:
      'screenshots[].screenshotRef:string screenshots[].timestamp:string screenshots[].displayLocalTime:string screenshots[].width:number screenshots[].height:number screenshots[].monitor:number screenshots[].hasThumbnail:boolean screenshots[].resourceUri:string sampling:string',
    more: [],
  },
] as const;

/** For example `segments[].start:string`. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [`${path}:${typeof value}`];
  return Object.entries(value).flatMap(([key, item]) => fieldsOf(item, path === '' ? key : `${path}.${key}`));
}

test.each(ANSWERS)('$tool answers the printed fields with their types', async (answer) => {
  const found = new Set<string>();
  // A day without data has what a day with data omits.
  for (const range of [DAY, EMPTY_DAY]) {
    const text = firstText(await peer.callTool(answer.tool, { ...range, ...answer.args }));
    for (const field of fieldsOf(JSON.parse(text))) found.add(field);
  }
  const printed = [...answer.fields.split(' '), ...METADATA.split(' ')];
  expect(printed.filter((field) => !found.has(field))).toStrictEqual([]);
  expect([...found].filter((field) => !printed.includes(field)).toSorted()).toStrictEqual(answer.more);
});

test('a screenshot is named by its display time, and saved under the printed path with .jpg', async () => {
  const { content } = await peer.callTool('list_screenshots', DAY);
  expect(content[1]).toMatchObject({ type: 'resource_link', name: 'Screenshot 2025-01-15 09:30:00' });
  const args = { screenshotRef: SHOT, outputPath: 'assets/screenshot-0930' };
  const saved = JSON.parse(firstText(await peer.callTool('save_screenshot', args)));
  const path = join(saveDir, 'assets/screenshot-0930.jpg');
  const image = readFileSync(join(folder, SHOT_FILE));
  expect(saved).toStrictEqual({ path, size: image.length });
  expect(readFileSync(path)).toStrictEqual(image);
});

const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['get_activity_narrative', { ...DAY, includeSummary: true }],
  ['sum_time', { ...DAY, groupBy: ['application', 'site'], details: ['count', 'longest', 'first', 'last'] }],
  ['get_daily_summary', { date: '2025-01-15', includeSegments: false, includeHourlyWebBreakdown: true }],
  ['get_period_summary', { startDate: '2025-01-13', endDate: '2025-01-20' }],
  ['get_website_usage', DAY],
  ['get_application_usage', DAY],
  ['get_document_usage', DAY],
  ['get_computer_usage', { ...DAY, limit: 1 }],
  ['get_tags', DAY],
  ['get_timelines', {}],
  ['get_activities', { timelineId: 3, ...DAY, limit: 1 }],
  ['list_screenshots', DAY],
  ['get_screenshot', { screenshotRef: SHOT }],
  ['crop_screenshot', { screenshotRef: SHOT, x: 50, y: 0, width: 50, height: 50 }],
  ['save_screenshot', { screenshotRef: SHOT, outputPath: 'assets/morning' }],
  ['get_period_summary', { startDate: '2025-01-01', endDate: '2025-03-01' }],
];
const RESOURCES = ['config', 'timelines', 'health', 'environment', 'data-range', `screenshot/${SHOT}`];

test('every tool and resource has an example', async () => {
  const named = new Set(CALLS.map(([tool]) => tool));
  const tools = (await peer.listTools()).map(({ name }) => name);
  expect(tools.filter((name) => !named.has(name))).toStrictEqual(['search_activities']);
  const { resources } = await peer.client.listResources();
  const uris = new Set(RESOURCES.map((name) => `manictime://${name}`));
  const others = resources.map(({ uri }) => uri).filter((uri) => !uris.has(uri));
  expect(others).toStrictEqual(['manictime://guide', 'ui://manictime/day.html']);
});

test('each example of EXAMPLES.md has its whole answer (vitest -u writes it)', async () => {
  const sections = [
    '# Examples\n\nThe answers of every tool and resource for one morning in a small database.\n\n## Tools',
  ];
  for (const [tool, args] of CALLS) sections.push(await toolExample(tool, args));
  sections.push('## Resources');
  for (const name of RESOURCES) sections.push(await resourceExample(`manictime://${name}`));
  const text = `${sections.join('\n\n')}\n`
    .replaceAll(folder, 'C:/ManicTime')
    .replaceAll(saveDir, 'C:/saved')
    // The server's version in health changes with each release.
    .replace(/("mcpServerVersion": ?)"[^"]+"/, '$1"0.1.0"');
  // The range that is too large.
  expect(text.match(/^### .*: error$/gm)).toEqual(['### get_period_summary: error']);
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, '../EXAMPLES.md'));
});

async function toolExample(tool: string, args: Record<string, unknown>): Promise<string> {
  const { content, isError } = await peer.callTool(tool, args);
  const heading = isError === true ? `### ${tool}: error` : `### ${tool}`;
  return [heading, '```jsonc', `// ${JSON.stringify(args)}`, ...content.map(shown), '```'].join('\n');
}

async function resourceExample(uri: string): Promise<string> {
  const { contents } = await peer.readResource(uri);
  return [`### ${uri}`, '```jsonc', ...contents.map(shown), '```'].join('\n');
}

/** A block as JSON, with the beginning of an image. */
function shown(block: object): string {
  if ('text' in block) return pretty(JSON.parse(String(block.text)));
  const text = JSON.stringify(block, (key, value) =>
    key === 'data' || key === 'blob' ? `${String(value).slice(0, 8)}…` : value,
  );
  return pretty(JSON.parse(text));
}

/** JSON with lines of up to 110 characters. */
function pretty(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (indent.length + line.length <= 108 || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => `${inner}${pretty(item, inner)}`).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(
    ([key, item]) => `${inner}${JSON.stringify(key)}: ${pretty(item, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}
