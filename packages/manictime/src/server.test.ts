import { temporaryFolder } from '@deskside/core/testing';
import { connectInProcess, describeOptions, describeServer, fixedClock, type Peer } from '@deskside/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeDataFolder } from './testing/data-folder.ts';
import { openManicTime } from './manictime.ts';
import { manictimeOptions } from './options.ts';
import { manictimeServer } from './server.ts';

const folder = temporaryFolder();
const DAY = { startDate: '2026-11-19', endDate: '2026-11-20' };
const NOW = new Date('2026-11-20T16:00:00').toISOString();
const LAST_DAY = { startDate: '2026-11-20', endDate: '2026-11-21' };

beforeAll(async () => {
  const data = { profile: 'light', days: 40, until: '2026-11-20', seed: 1, screenshotDays: 1 } as const;
  await writeDataFolder({ folder: folder.path, ...data });
});
afterAll(() => folder[Symbol.dispose]());

async function open() {
  const manictime = openManicTime({ dataDir: folder.path }, { clock: fixedClock(NOW) });
  return {
    definition: manictimeServer(manictime),
    [Symbol.asyncDispose]: () => manictime[Symbol.asyncDispose](),
  };
}

const inEveryAnswer = ['"truncation"', '"diagnostics"'];

describeOptions({ options: manictimeOptions, open: openManicTime, definition: manictimeServer });

describeServer({
  name: 'manictime',
  open,
  toolsJson: '../tools.json',
  tokenBudget: 10_600,
  samples: [
    {
      tool: 'search_activities',
      args: { ...DAY, text: 'a', limit: 1 },
      survives: ['"nextCursor":"1"', 'totalMinutes', ...inEveryAnswer],
    },
    { tool: 'get_timelines', args: {}, survives: ['ManicTime/Applications', ...inEveryAnswer] },
    {
      tool: 'get_activities',
      args: { timelineId: 3, ...DAY, limit: 2 },
      survives: ['"truncated":true', 'groupColor'],
    },
    { tool: 'get_computer_usage', args: DAY, survives: ['Power off', ...inEveryAnswer] },
    { tool: 'render_day', args: { date: '2026-11-19' }, survives: ['Applications'] },
    { tool: 'get_tags', args: DAY, survives: ['"tags":', ...inEveryAnswer] },
    { tool: 'get_application_usage', args: DAY, survives: ['"color":"#', ...inEveryAnswer] },
    { tool: 'get_document_usage', args: DAY, survives: ['totalMinutes', ...inEveryAnswer] },
    {
      tool: 'sum_time',
      args: { ...DAY, groupBy: ['application'], details: ['longest'] },
      survives: ['longestMinutes', '"share":', ...inEveryAnswer],
    },
    { tool: 'get_website_usage', args: DAY, survives: ['"breakdownGranularity":"hour"', ...inEveryAnswer] },
    { tool: 'get_daily_summary', args: { date: '2026-11-19' }, survives: ['topWebsites', ...inEveryAnswer] },
    {
      tool: 'get_activity_narrative',
      args: { ...DAY, maxSegments: 1 },
      survives: ['totalActiveMinutes', '"returnedCount":1', ...inEveryAnswer],
    },
    { tool: 'get_period_summary', args: DAY, survives: ['busiestDay', ...inEveryAnswer] },
    {
      tool: 'list_screenshots',
      args: LAST_DAY,
      survives: ['screenshotRef', 'resourceUri', ...inEveryAnswer],
    },
  ],
});

const LEGS = [
  { era: 'legacy', over: 'stdio' },
  { era: 'modern', over: 'http' },
] as const;

describe.each(LEGS)('in the $era era over $over', (leg) => {
  let server: Awaited<ReturnType<typeof open>>;
  let peer: Peer;
  beforeAll(async () => {
    server = await open();
    // Other clients do not get the tool of the view.
    const capabilities = { extensions: { 'io.modelcontextprotocol/ui': {} } };
    peer = await connectInProcess(server.definition, { ...leg, capabilities });
  });
  afterAll(async () => {
    await peer[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test('the server lists the tools of the contract in its order, then its own, and the resources, templates and prompts', async () => {
    expect((await peer.listTools()).map(({ name }) => name)).toEqual([
      'get_timelines',
      'get_activities',
      'get_computer_usage',
      'get_tags',
      'get_application_usage',
      'get_document_usage',
      'get_daily_summary',
      'get_activity_narrative',
      'get_period_summary',
      'get_website_usage',
      'list_screenshots',
      'get_screenshot',
      'crop_screenshot',
      'save_screenshot',
      'search_activities',
      'sum_time',
      'render_day',
    ]);
    const { resources } = await peer.client.listResources();
    expect(resources.map(({ uri }) => uri).slice(0, 6)).toEqual(
      ['config', 'timelines', 'health', 'guide', 'environment', 'data-range'].map(
        (name) => `manictime://${name}`,
      ),
    );
    const { resourceTemplates } = await peer.client.listResourceTemplates();
    expect(resourceTemplates[0]).toMatchObject({
      uriTemplate: 'manictime://screenshot/{screenshotRef}',
      annotations: { audience: ['user'] },
    });
    const { prompts } = await peer.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      'daily_review',
      'weekly_review',
      'screenshot_investigation',
    ]);
  });

  test('every resource is one JSON text, and the guide has all parts of the contract', async () => {
    for (const name of ['config', 'timelines', 'health', 'environment', 'data-range']) {
      const { contents } = await peer.readResource(`manictime://${name}`);
      expect(contents[0]).toMatchObject({ mimeType: 'application/json' });
      expect(JSON.parse(textIn(contents[0]))).not.toHaveProperty('error');
    }
    const { contents } = await peer.readResource('manictime://guide');
    const guide = textIn(contents[0]);
    const parts = [
      'ManicTime MCP Usage Guide',
      'Tools',
      'Decision tree',
      'Playbooks',
      'Data model',
      'Dates',
      'Screenshots',
      'Common questions',
      'Interpreting answers',
      'Talking to the person',
    ];
    for (const part of parts) expect(guide).toContain(`# ${part}`);
    for (const playbook of [
      'Daily recap',
      'Weekly recap',
      'Screenshot investigation',
      'Why no screenshots',
    ]) {
      expect(guide).toContain(`**${playbook}**`);
    }
    for (const { name } of await peer.listTools()) expect(guide).toContain(name);
  });

  test('prompts have the words of the contract and reject invalid dates and ranges', async () => {
    const text = async (name: string, args: Record<string, string>) => {
      const { messages } = await peer.getPrompt(name, args);
      expect(messages).toHaveLength(1);
      expect(messages[0]?.role).toBe('user');
      return textIn(messages[0]?.content);
    };
    expect(await text('daily_review', { date: '2025-01-15' })).toBe(DAILY_REVIEW);
    expect(await text('weekly_review', { startDate: '2025-01-13', endDate: '2025-01-20' })).toBe(
      WEEKLY_REVIEW,
    );
    expect(await text('screenshot_investigation', { datetime: '2025-01-15T15:00:00' })).toBe(INVESTIGATION);
    for (const [word, day] of [
      ['today', '2026-11-20'],
      ['Yesterday', '2026-11-19'],
      ['-7d', '2026-11-13'],
    ] as const) {
      expect(await text('daily_review', { date: word })).toBe(await text('daily_review', { date: day }));
    }
    expect(await text('weekly_review', { startDate: '-7d', endDate: 'tomorrow' })).toBe(
      await text('weekly_review', { startDate: '2026-11-13', endDate: '2026-11-21' }),
    );
    expect(await text('screenshot_investigation', { datetime: 'now' })).toBe(
      await text('screenshot_investigation', { datetime: '2026-11-20T16:00:00' }),
    );
    await expect(peer.getPrompt('daily_review', { date: 'someday' })).rejects.toThrow(/Invalid date/);
    await expect(peer.getPrompt('daily_review', {})).rejects.toThrow(/date/);
    for (const [endDate, problem] of [
      ['2025-01-13', 'must be after'],
      ['2025-02-14', 'maximum of 31 days'],
    ] as const) {
      await expect(peer.getPrompt('weekly_review', { startDate: '2025-01-13', endDate })).rejects.toThrow(
        problem,
      );
    }
  });

  test('dates of prompts are completed with days that have data', async () => {
    const ref = { type: 'ref/prompt' as const, name: 'daily_review' };
    const { completion } = await peer.client.complete({
      ref,
      argument: { name: 'date', value: '2026-11-1' },
    });
    expect(completion.values).toContain('2026-11-19');
    expect(completion.values.every((value) => value.startsWith('2026-11-1'))).toBe(true);
    const words = await peer.client.complete({ ref, argument: { name: 'date', value: 'y' } });
    expect(words.completion.values).toEqual(['yesterday']);
  });

  test('list, get and crop return the region of a screenshot, each block for its audience', async () => {
    const listing = await peer.callTool('list_screenshots', { ...LAST_DAY, maxCount: 3 });
    expect(listing.content.map(({ type }) => type)).toEqual([
      'text',
      'resource_link',
      'resource_link',
      'resource_link',
    ]);
    expect(listing.content[1]).toMatchObject({
      name: expect.stringMatching(/^Screenshot 2026-11-20 \d\d:\d\d:\d\d$/),
    });
    const { screenshots } = JSON.parse(textIn(listing.content[0]));
    const { screenshotRef, resourceUri } = screenshots[0];
    const shot = await peer.callTool('get_screenshot', { screenshotRef });
    expect(shot.content.map(({ type, annotations }) => [type, annotations?.audience])).toEqual([
      ['image', ['user', 'assistant']],
      ['image', ['user']],
      ['text', undefined],
    ]);
    const region = { x: 60, y: 10, width: 20, height: 20 };
    const crop = await peer.callTool('crop_screenshot', { screenshotRef, ...region });
    expect(crop.content[0]).toMatchObject({
      type: 'image',
      annotations: { audience: ['user', 'assistant'] },
    });
    expect(JSON.parse(textIn(crop.content[1]))).toEqual({
      screenshotRef,
      crop: { ...region, units: 'percent' },
    });
    expect(await meanColor(crop.content[0])).toEqual([0, 'much', 0]);
    const { contents } = await peer.readResource(resourceUri);
    expect(contents[0]).toMatchObject({ mimeType: 'image/jpeg', blob: expect.stringMatching(/^\/9j/) });
    expect(JSON.parse(textIn(contents[1]))).toMatchObject({ screenshotRef, isThumbnail: true });
    const unknown = await peer.readResource('manictime://screenshot/unknown');
    expect(JSON.parse(textIn(unknown.contents[0])).error).toContain('Unknown screenshotRef');
  });
});

const DAILY_REVIEW = `Summarize my activities for 2025-01-15.

Use get_activity_narrative with startDate=2025-01-15, endDate=2025-01-16, and includeSummary=true to retrieve activity data with top-app/top-website aggregates. Synthesize a concise daily summary highlighting top applications, total active time, and notable patterns. Prefer resolved names/colors over internal refs. If suggestedScreenshots are present, use get_screenshot + crop_screenshot + save_screenshot to persist the best crops to project assets.`;
const WEEKLY_REVIEW = `Summarize my week from 2025-01-13 to 2025-01-20.

Use get_period_summary with the provided date range to retrieve multi-day activity data. Synthesize a weekly overview including busiest/quietest days, top applications and websites, day-of-week patterns, and total active hours. Prefer resolved labels in the final user-facing answer. For notable days, use get_daily_summary + get_screenshot + crop_screenshot + save_screenshot for visual context.`;
const INVESTIGATION = `What was I doing at 2025-01-15T15:00:00?

Use list_screenshots to find screenshots near 2025-01-15T15:00:00 (within a 5-minute window). Use get_screenshot to retrieve the most relevant screenshot — you will receive a low-resolution thumbnail you can inspect. If you spot a region that needs more detail, call crop_screenshot with percentage ROI coordinates to get a full-resolution crop you can analyze. Combine visual findings with get_activity_narrative for the same period, then produce a user-facing explanation using resolved names rather than internal refs.`;

function textIn(content: unknown): string {
  if (typeof content !== 'object' || content === null || !('text' in content)) throw new Error('no text');
  return String(content.text);
}

async function meanColor(block: unknown): Promise<unknown[]> {
  if (typeof block !== 'object' || block === null || !('data' in block)) throw new Error('no image');
  const { default: sharp } = await import('sharp');
  const { channels } = await sharp(Buffer.from(String(block.data), 'base64')).stats();
  return channels.slice(0, 3).map(({ mean }) => (mean > 150 ? 'much' : Math.round(mean / 40)));
}
