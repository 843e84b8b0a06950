import { isDeepStrictEqual } from 'node:util';
import type { Benchmark, BenchmarkReport } from './benchmark.ts';
import type { Answer, Caller } from './request-cost/caller.ts';
import { coreOverHttp, coreOverStreams } from './request-cost/core-server.ts';
import { httpCaller } from './request-cost/http-caller.ts';
import { sdkOverHttp, sdkOverStreams } from './request-cost/sdk-server.ts';
import { streamCaller } from './request-cost/stream-caller.ts';
import { call, names } from './request-cost/tools.ts';
import { median, minimum, shuffled } from './statistics.ts';

const ROUNDS = 40;
const REQUESTS = 100;

/** One request on one leg, to both servers. */
interface Comparison {
  readonly title: string;
  readonly core: Sample;
  readonly sdk: Sample;
  /** The part of the result that must be equal. */
  readonly essence: (answer: Answer) => unknown;
}

interface Sample {
  readonly request: () => Promise<Answer>;
  /** CPU milliseconds per request, one value per round. */
  readonly costs: number[];
}

export const requestCost: Benchmark = {
  name: 'request-cost',
  title: 'Cost of a request',
  async run() {
    const comparisons = [
      ...compare('HTTP, 2026-07-28', httpCaller(coreOverHttp()), httpCaller(sdkOverHttp())),
      ...compare(
        'stdio, 2025-11-25',
        await streamCaller(coreOverStreams),
        await streamCaller(sdkOverStreams),
      ),
    ];
    for (const comparison of comparisons) await checkSame(comparison);
    const samples = comparisons.flatMap(({ core, sdk }) => [core, sdk]);
    for (let round = 0; round < ROUNDS; round++) {
      for (const { request, costs } of shuffled(samples)) costs.push(await cpuPerRequest(request));
    }
    return report(comparisons);
  },
};

function compare(leg: string, core: Caller, sdk: Caller): Comparison[] {
  return [
    {
      title: `\`tools/call\`, ${leg}`,
      core: sample(() => core('tools/call', call)),
      sdk: sample(() => sdk('tools/call', call)),
      essence: ({ content, structuredContent }) => ({ content, structuredContent }),
    },
    {
      title: `\`tools/list\`, ${leg}`,
      core: sample(() => core('tools/list', {})),
      sdk: sample(() => sdk('tools/list', {})),
      essence: ({ tools }) => tools?.map(({ name }) => name),
    },
  ];
}

function sample(request: Sample['request']): Sample {
  return { request, costs: [] };
}

async function checkSame({ title, core, sdk, essence }: Comparison): Promise<void> {
  const [ours, theirs] = [essence(await core.request()), essence(await sdk.request())];
  if (!isDeepStrictEqual(ours, theirs)) throw new Error(`${title}: the two servers answer differently`);
}

async function cpuPerRequest(request: Sample['request']): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < REQUESTS; index++) await request();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / REQUESTS;
}

function report(comparisons: readonly Comparison[]): BenchmarkReport {
  return {
    compared: `Core's dispatch (the SDK's low-level \`Server\` with tables that are built once, cached listings and a request log) and the SDK's \`McpServer\`, both with the same ${names.length} tools of five arguments and a structured result. Over HTTP, each request has its own server object, as both recommend; over a pair of streams, one connection serves all requests.`,
    method: `In one process without sockets. The cost includes the client, which is the same for both. ${ROUNDS} rounds of ${REQUESTS} requests, one after the other, all cases in random order in each round; CPU time of the process (user and system, with garbage collection) per request.`,
    tables: [
      {
        columns: ['Request', 'Core minimum, ms', 'Core median, ms', 'SDK minimum, ms', 'SDK median, ms'],
        rows: comparisons.map(({ title, core, sdk }) => row(title, core.costs, sdk.costs)),
      },
    ],
    ratios: comparisons.map(({ title, core, sdk }) => ({
      title: `Core to \`McpServer\`: ${title}, CPU minimum`,
      value: minimum(core.costs) / minimum(sdk.costs),
    })),
    caveats: [
      "Core's numbers over HTTP do not include its guards. The SDK has guards only in its adapters.",
      'A listing of the SDK is slightly longer, because each schema names its dialect.',
    ],
  };
}

function row(title: string, core: readonly number[], sdk: readonly number[]): string[] {
  const figures = [minimum(core), median(core), minimum(sdk), median(sdk)];
  return [title, ...figures.map((figure) => figure.toFixed(3))];
}
