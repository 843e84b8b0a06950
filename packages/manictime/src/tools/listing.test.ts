import { connectInProcess } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { openManicTime } from '../manictime.ts';
import { manictimeServer } from '../server.ts';
import { DAY, row, served, site } from '../testing/test-server.ts';

/** The parameters of the specification: `*` if one is required, and its default if it has one. */
const PARAMETERS: readonly (readonly [tool: string, parameters: string])[] = [
  ['get_activity_narrative', 'startDate* endDate* includeWebsites=true minDurationMinutes=0'],
  ['get_activity_narrative', 'maxGapMinutes=2 includeSummary=false maxSegments=200'],
  ['get_period_summary', 'startDate* endDate*'],
  ['get_website_usage', 'startDate* endDate* limit=50 minMinutes=0.5'],
  ['list_screenshots', 'startDate* endDate* maxCount=20 samplingStrategy="activity_transition"'],
  ['get_screenshot', 'screenshotRef*'],
  ['crop_screenshot', 'screenshotRef* x* y* width* height* coordinateUnits="percent"'],
  ['save_screenshot', 'screenshotRef* outputPath cropX cropY cropWidth cropHeight coordinateUnits="percent"'],
  ['get_activities', 'includeGroupDetails=true'],
  ['get_daily_summary', 'maxSegments=200'],
];

async function listedTools() {
  await using manictime = openManicTime({ dataDir: '/nowhere' });
  await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'http' });
  return await peer.listTools();
}

test.each(PARAMETERS)(
  '%s is listed with the parameters and defaults of the specification: %s',
  async (name, parameters) => {
    const tool = (await listedTools()).find((each) => each.name === name);
    const { properties = {}, required = [] } = tool?.inputSchema ?? { type: 'object' };
    for (const [, parameter = '', star, value] of parameters.matchAll(/(\w+)(\*?)(?:=(\S+))?/g)) {
      expect(properties, parameter).toHaveProperty(parameter);
      expect(required.includes(parameter), parameter).toBe(star === '*');
      if (value === undefined) expect(properties[parameter]).not.toHaveProperty('default');
      else expect(properties[parameter]).toHaveProperty('default', JSON.parse(value));
    }
  },
);

test('the units, the strategies and the granularity are those of the specification, and get_screenshots is gone', async () => {
  const tools = new Map((await listedTools()).map((tool) => [tool.name, tool]));
  const units = { coordinateUnits: { enum: ['percent', 'normalized'] } };
  expect(tools.get('crop_screenshot')?.inputSchema.properties).toMatchObject(units);
  expect(tools.get('save_screenshot')?.inputSchema.properties).toMatchObject(units);
  expect(tools.get('list_screenshots')?.inputSchema.properties).toMatchObject({
    samplingStrategy: { enum: ['activity_transition', 'interval'] },
  });
  expect(tools.get('get_website_usage')?.outputSchema).toMatchObject({
    properties: { breakdownGranularity: { enum: ['hour', 'day'] } },
  });
  expect(tools.has('get_screenshots')).toBe(false);
  const structured = [...tools.values()].filter(({ outputSchema }) => outputSchema === undefined);
  expect(structured.map(({ name }) => name)).toStrictEqual(['get_screenshot', 'crop_screenshot']);
});

const clock = (second: number) => `2025-01-15 ${new Date(second * 1000).toISOString().slice(11, 19)}`;

/** So many windows in a row, each of another application than the one before. */
function windows(count: number, seconds: number) {
  // Without a title 2,000 segments fit into an answer.
  return Array.from({ length: count }, (_, index) =>
    row(clock(index * seconds), clock((index + 1) * seconds), `Program ${index % 2}`, {
      name: null,
      id: index + 1,
    }),
  );
}

test('a narrative and a daily summary have 200 segments by default and 2,000 at most, and count all', async () => {
  await using server = served({ applications: windows(2001, 30) });
  for (const [tool, args] of [
    ['get_activity_narrative', DAY],
    ['get_daily_summary', { date: '2025-01-15' }],
  ] as const) {
    for (const [asked, cap] of [
      [{}, 200],
      [{ maxSegments: 100_000 }, 2000],
    ] as const) {
      const answer = await server.answer(tool, { ...args, ...asked });
      const { segments, truncation } = answer as { segments: unknown[]; truncation: unknown };
      expect(segments.length).toBeLessThanOrEqual(cap);
      expect(segments.length).toBeGreaterThan(cap / 4);
      expect(truncation).toEqual({
        truncated: true,
        returnedCount: segments.length,
        totalAvailable: 2001,
      });
    }
  }
});

test('get_website_usage has 50 websites by default and 200 at most, without visits of less than half a minute', async () => {
  const short = row(clock(20_000), clock(20_029), 'Program 0', { id: 900 });
  const visits = [...windows(210, 60), short];
  await using server = served({
    applications: visits,
    documents: visits.map(({ from, to, id = 0 }) => site(from, to, `${id}.example`, { relatedId: id })),
  });
  for (const [asked, cap, totalAvailable] of [
    [{}, 50, 210],
    [{ limit: 5000 }, 200, 210],
    [{ limit: 5000, minMinutes: 0 }, 200, 211],
  ] as const) {
    expect(await server.answer('get_website_usage', { ...DAY, ...asked })).toMatchObject({
      truncation: { truncated: true, returnedCount: cap, totalAvailable },
    });
  }
});

test.each(['get_period_summary', 'get_website_usage'])('%s accepts 31 days and rejects 32', async (tool) => {
  await using server = served({ applications: windows(1, 60) });
  expect(await server.answer(tool, { startDate: '2025-01-01', endDate: '2025-02-01' })).toHaveProperty(
    'truncation',
  );
  expect(await server.failure(tool, { startDate: '2025-01-01', endDate: '2025-02-02' })).toMatchObject({
    code: 'RANGE_TOO_LARGE',
    hint: expect.stringContaining('2025-02-01'),
  });
});

test('list_screenshots has 20 screenshots by default, and counts all', async () => {
  await using server = served({
    applications: windows(1, 60),
    shots: Array.from({ length: 30 }, (_, minute) => `09:${minute + 10}:00`),
  });
  for (const samplingStrategy of ['activity_transition', 'interval']) {
    expect(await server.answer('list_screenshots', { ...DAY, samplingStrategy })).toMatchObject({
      truncation: { truncated: true, returnedCount: 20, totalAvailable: 30 },
    });
  }
});
