import { type Clock, systemClock } from '@deskside/core/base';
import { identityName, type ToolName } from '@deskside/core/errors';
import { testContext } from '@deskside/core/testing';
import { temporaryFolder } from '@deskside/testkit';
import { type ManicTime, openManicTime } from '../manictime.ts';
import type { ManicTimeOptions } from '../options.ts';
import { manictimeServer } from '../server.ts';
import { type Fixture, type FixtureRow, writeFixture } from './fixture.ts';

type Args = Record<string, unknown>;

export type TestServer = ReturnType<typeof openTestServer>;

/** Later than all rows of the tests, so that the answers are the same on any day. */
export const TEST_CLOCK: Clock = { ...systemClock, now: () => new Date('2027-06-01T12:00:00Z') };

export function openTestManicTime(options: ManicTimeOptions): ManicTime {
  return openManicTime(options, { clock: TEST_CLOCK });
}

interface Surroundings {
  /** The names that a mount gives to tools. */
  readonly toolName?: ToolName;
  readonly clock?: Clock;
}

/** A server of a fixture. */
export function served(fixture: Fixture, options?: ManicTimeOptions, surroundings?: Surroundings) {
  const folder = temporaryFolder();
  writeFixture(folder, fixture);
  return openTestServer(folder, options, surroundings);
}

/** An open server. Its tools are called directly, without a client. */
export function openTestServer(
  dataDir: string,
  options: ManicTimeOptions = {},
  { toolName = identityName, clock = TEST_CLOCK }: Surroundings = {},
) {
  const manictime = openManicTime({ dataDir, ...options }, { clock });
  const definition = manictimeServer(manictime);
  const ctx = testContext({ toolName, caller: { client: undefined }, input: { capabilities: {} } });
  const textOf = async (tool: string, args: Args, isError: boolean) => {
    const result = await definition.callTool(tool, args, ctx);
    if (result === undefined || !('content' in result) || !Array.isArray(result.content))
      throw new Error('no content');
    if ((result.isError ?? false) !== isError)
      throw new Error(`unexpected: ${JSON.stringify(result.content)}`);
    const [block] = result.content;
    return JSON.parse(block?.type === 'text' ? block.text : '');
  };
  return {
    definition,
    records: manictime.records,
    /** Calls a tool and parses its answer. */
    answer: (tool: string, args: Args = {}): Promise<Record<string, unknown>> => textOf(tool, args, false),
    /** Calls a tool and returns all that its result holds. */
    result: async (tool: string, args: Args = {}): Promise<unknown> => definition.callTool(tool, args, ctx),
    /** Calls a tool and parses its error. */
    failure: (tool: string, args: Args = {}): Promise<Record<'error' | 'code' | 'hint', string>> =>
      textOf(tool, args, true),
    /** Reads a resource and parses its JSON. */
    async resource(uri: string): Promise<unknown> {
      const result = await definition.readResource(uri, ctx);
      const [content] =
        result !== undefined && 'contents' in result && Array.isArray(result.contents) ? result.contents : [];
      return content !== undefined && 'text' in content ? JSON.parse(content.text) : content;
    },
    [Symbol.asyncDispose]: () => manictime[Symbol.asyncDispose](),
  };
}

export const DAY = { startDate: '2025-01-15', endDate: '2025-01-16' };

/** `row('09:00', '10:00', 'Chrome')` on the day of the tests. */
export function row(from: string, to: string, group: string, more: Partial<FixtureRow> = {}): FixtureRow {
  return { from: dated(from), to: dated(to), group, name: `${group} window`, ...more };
}

/** A page of a website. */
export function site(from: string, to: string, host: string, more: Partial<FixtureRow> = {}): FixtureRow {
  return row(from, to, host, { type: 'ManicTime/WebSites', name: `https://${host}/`, ...more });
}

export function file(from: string, to: string, path: string, more: Partial<FixtureRow> = {}): FixtureRow {
  return row(from, to, path, { type: 'ManicTime/Files', name: path, ...more });
}

/** A row that has a name and no group: a tag, or a window whose program is not known. */
export function named(from: string, to: string, name: string, more: Partial<FixtureRow> = {}): FixtureRow {
  return { from: dated(from), to: dated(to), name, ...more };
}

type Call = readonly [tool: string, args: Record<string, unknown>];

/** A call of each tool that answers for some time. */
export function callsOf(startDate: string, endDate: string): readonly Call[] {
  const range = { startDate, endDate };
  return [
    ['get_activity_narrative', { ...range, includeSummary: true }],
    ['get_daily_summary', { date: startDate, includeHourlyWebBreakdown: true }],
    ['get_period_summary', range],
    ['get_application_usage', { ...range, granularity: 'hour' }],
    ['get_document_usage', range],
    ['get_website_usage', { ...range, minMinutes: 0 }],
    ['get_computer_usage', range],
    ['get_tags', range],
    ['get_timelines', {}],
    ['search_activities', { ...range, text: 'a' }],
    ['sum_time', { ...range, groupBy: ['hour', 'title'], details: ['longest'] }],
    ['list_screenshots', range],
    ['render_day', { date: startDate }],
  ];
}

export interface NarrativeAnswer {
  readonly totalActiveMinutes: number;
  readonly segments: readonly {
    readonly start: string;
    readonly end: string;
    readonly durationMinutes: number;
    readonly [key: string]: unknown;
  }[];
  readonly [key: string]: unknown;
}

/** The narrative of a fixture. */
export async function narrative(
  fixture: Fixture,
  args: Record<string, unknown> = {},
): Promise<NarrativeAnswer> {
  await using server = served(fixture);
  const answer = await server.answer('get_activity_narrative', { ...DAY, ...args });
  return answer as NarrativeAnswer;
}

function dated(clock: string): string {
  return clock.length > 8 ? clock : `2025-01-15 ${clock.length === 5 ? `${clock}:00` : clock}`;
}
