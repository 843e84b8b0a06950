// What the specification prints of answers, against the built program: it has the fields of each answer, and no whole one. The
// whole answers are those of EXAMPLES.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cleanEnvironment, connectStdio, firstText, type Peer, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { writeExampleFolder } from './testing/example-folder.ts';

const CLI = join(import.meta.dirname, '../dist/bin/cli.js');
const DAY = { startDate: '2025-01-15', endDate: '2025-01-16' };
const EMPTY_DAY = { startDate: '2031-01-01', endDate: '2031-01-02' };

async function exampleFolder(): Promise<string> {
  const folder = temporaryFolder();
  await writeExampleFolder(folder);
  return folder;
}

async function connect(dataDir: string, options: readonly string[], root?: string): Promise<Peer> {
  const args = [CLI, '--data-dir', dataDir, ...options];
  const command = { command: process.execPath, args, env: cleanEnvironment(dataDir) };
  const capabilities = root === undefined ? {} : { roots: {} };
  const peer = await connectStdio(command, { era: 'modern', capabilities });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  if (root !== undefined && 'discover' in peer.client) {
    peer.client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(root).href }] }));
  }
  return peer;
}

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
  const peer = await connect(await exampleFolder(), []);
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

const PAGE = readFileSync(join(import.meta.dirname, '../EXAMPLES.md'), 'utf8');
/** Each example: the tool or the URI, its arguments, and the blocks of its answer. */
const EXAMPLES = [...PAGE.matchAll(/^### (\S+?)(?:: error)?\n```jsonc\n(?:\/\/ (.*)\n)?([^]*?)\n```$/gm)].map(
  ([, name = '', args, answer = '']) => ({
    name,
    args: args === undefined ? undefined : (JSON.parse(args) as Record<string, unknown>),
    blocks: [...answer.matchAll(/^(?:[[{].*[}\]]|[[{]\n[^]*?\n[}\]])$/gm)].map(([text]) => JSON.parse(text)),
  }),
);

/** As EXAMPLES.md shows it: the beginning of an image only. */
function shown(block: object): unknown {
  if ('text' in block) return JSON.parse(String(block.text));
  const text = JSON.stringify(block, (key, value) =>
    key === 'data' || key === 'blob' ? `${String(value).slice(0, 8)}…` : value,
  );
  return JSON.parse(text);
}

test('every tool and resource has an example', () => {
  const tools = JSON.parse(readFileSync(join(import.meta.dirname, '../tools.json'), 'utf8')) as readonly {
    readonly name: string;
  }[];
  const named = new Set(EXAMPLES.map(({ name }) => name));
  expect(tools.map(({ name }) => name).filter((name) => !named.has(name))).toStrictEqual([
    // Beyond the specification.
    'search_activities',
    'render_day',
  ]);
  expect([...named].filter((name) => name.startsWith('manictime://'))).toHaveLength(6);
});

test('each example of EXAMPLES.md has its whole answer', async () => {
  const folder = await exampleFolder();
  const saveDir = temporaryFolder();
  const peer = await connect(folder, ['--save-dir', saveDir]);
  for (const { name, args, blocks } of EXAMPLES) {
    const answer: readonly object[] =
      args === undefined
        ? (await peer.readResource(name)).contents
        : (await peer.callTool(name, args)).content;
    const text = JSON.stringify(answer.map(shown))
      .replaceAll(folder, 'C:/ManicTime')
      .replaceAll(saveDir, 'C:/saved')
      .replace(/("mcpServerVersion":)"[^"]+"/, '$1"0.1.0"');
    // As texts: the order of the keys counts.
    expect(text, name).toBe(JSON.stringify(blocks));
  }
});

test('a screenshot is named by its display time, and saved under the printed path with .jpg', async () => {
  const dataDir = await exampleFolder();
  const root = temporaryFolder();
  const shots = join(dataDir, 'Screenshots/2025-01-15');
  const image = readFileSync(join(shots, '2025-01-15_09-30-00_01-00_192_108_755811_0.jpg'));
  writeFileSync(join(shots, '2025-01-15_10-30-45_01-00_192_108_755812_0.jpg'), image);
  const peer = await connect(dataDir, [], root);
  const range = { startDate: '2025-01-15T10:30:00', endDate: '2025-01-15T10:31:00' };
  const { content } = await peer.callTool('list_screenshots', range);
  expect(content[1]).toMatchObject({ type: 'resource_link', name: 'Screenshot 2025-01-15 10:30:45' });
  const { screenshotRef } = JSON.parse(firstText({ content })).screenshots[0];
  const args = { screenshotRef, outputPath: 'assets/screenshot-0930' };
  const saved = await peer.callTool('save_screenshot', args);
  const path = join(root, 'assets/screenshot-0930.jpg');
  expect(JSON.parse(firstText(saved))).toStrictEqual({ path, size: image.length });
  expect(readFileSync(path)).toStrictEqual(image);
});
