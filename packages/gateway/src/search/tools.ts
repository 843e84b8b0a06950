import {
  type RequestContext,
  type ServerDefinition,
  textBlock,
  type Tool,
  toolDefiner,
} from '@deskside/core';
import { UserError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import * as z from 'zod';
import type { Toolset } from './toolset.ts';

/** What both tools use, for one caller. */
export interface Search {
  readonly toolset: Toolset;
  /** Runs a tool under the name in the list of all tools. */
  run(name: string, args: unknown, ctx: RequestContext): ReturnType<ServerDefinition['callTool']>;
}

const defineTool = toolDefiner<Search>();

const MAX_QUERY_CHARACTERS = 1000;
const MAX_NAME_CHARACTERS = 200;
/** A client that loads tools only when its model asks for them must have these two at once. */
const ALWAYS_LOADED = { 'anthropic/alwaysLoad': true };

const findTools = defineTool({
  name: 'find_tools',
  title: 'Find tools',
  description: (toolName) =>
    `Finds tools of other servers by what they do: the best five with input schemas, for ${toolName('call_tool')}. Use it before you say that you cannot do something.`,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  meta: ALWAYS_LOADED,
  input: z.object({
    query: z
      .string()
      .min(1)
      .max(MAX_QUERY_CHARACTERS)
      .describe('What the tool must do, in English, with the service if known: "create GitHub issue".'),
  }),
  output: z.object({
    tools: z.array(z.looseObject({ name: z.string(), inputSchema: z.looseObject({}) })),
    hint: z.string().optional(),
  }),
  async run({ query }, { toolset }) {
    const tools = await toolset.find(query);
    const servers = [...toolset.servers.keys()].join(', ');
    const hint = `No tool matches. Use other words. Servers: ${servers}.`;
    return { tools, ...(tools.length === 0 ? { hint } : {}) };
  },
});

const callInput = z.object({
  name: z.string().max(MAX_NAME_CHARACTERS).describe('As find_tools returns it.'),
  arguments: z.record(z.string(), z.unknown()).nullish().describe('As its inputSchema demands. Default: {}.'),
});
type Call = z.output<typeof callInput>;

const checkedCall = toolDefiner<Pick<Search, 'toolset'> & { accept(call: Call): void }>()({
  name: 'call_tool',
  title: 'Call a tool',
  description: (toolName) => `Calls a tool that ${toolName('find_tools')} has found.`,
  // As the worst of the tools that it can call.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  meta: ALWAYS_LOADED,
  input: callInput,
  async run(call, { toolset, accept }) {
    const { required = [] } = toolset.foreign(call.name).inputSchema;
    const missing = required.filter((member) => call.arguments?.[member] === undefined);
    if (missing.length > 0) {
      throw new UserError({
        error: escapeInvisible(`${call.name} also needs ${missing.join(', ')} in its arguments.`),
        code: 'INVALID_ARGUMENT',
        hint: 'Use the inputSchema of the tool.',
      });
    }
    accept(call);
    return '';
  },
});

/** The answer is the other tool's own. */
const callTool: Tool<Search> = {
  ...checkedCall,
  async call(args, { toolset, run }, ctx) {
    let accepted: Call | undefined;
    const checked = await checkedCall.call(args, { toolset, accept: (call) => (accepted = call) }, ctx);
    if (accepted === undefined) return checked;
    // As it was given, with exact numbers, unless core had to correct it.
    const call = callInput.safeParse(args).data ?? accepted;
    const result = await run(call.name, call.arguments ?? {}, ctx);
    return result ?? { content: [textBlock('The server has removed this tool.')], isError: true };
  },
};

export const SEARCH_TOOLS: ReadonlyMap<string, Tool<Search>> = new Map(
  [findTools, callTool].map((tool) => [tool.name, tool]),
);
