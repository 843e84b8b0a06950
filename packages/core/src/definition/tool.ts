import type { CallToolResult, InputRequiredResult, Tool as ToolListing } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { errorResult } from '../results/error-result.ts';
import { type Content, present, type ResultPolicy } from '../results/present.ts';
import type { Reply } from '../results/reply.ts';
import { jsonSchema } from '../schema/json-schema.ts';
import { parseArguments } from '../schema/parse-arguments.ts';
import { type Awaitable, type RequestContext, type Text, textOf, type View } from './context.ts';
import { isInputRequired } from './input-required.ts';

/** All four, always: the protocol's defaults are the pessimistic ones. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

type Answer<Output> = Output extends z.ZodType ? z.input<Output> : Content;

export interface ToolSpec<Deps, Input extends z.ZodObject, Output extends z.ZodType | undefined = undefined> {
  readonly name: string;
  readonly title: string;
  readonly description: Text;
  readonly hints: ToolHints;
  /** What is advertised is what is validated; unknown arguments are ignored. */
  readonly input: Input;
  /** An object or an array; none for a tool that answers a text or images. It decides how answers travel. */
  readonly output?: Output;
  /** `_meta` of the listing. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** @throws ToolError for what the model can mend; every other throw is a defect. */
  readonly run: (
    args: z.output<Input>,
    deps: Deps,
    ctx: RequestContext,
  ) => Awaitable<Answer<Output> | Reply<Answer<Output>> | InputRequiredResult>;
}

/** A tool as data: it knows how it is listed and how it answers, and nothing of servers. */
export interface Tool<Deps> {
  readonly name: string;
  readonly policy: ResultPolicy;
  list(view: View): ToolListing;
  /** Validates, runs and presents. Never throws but for protocol errors. */
  call(args: unknown, deps: Deps, ctx: RequestContext): Promise<CallToolResult | InputRequiredResult>;
}

/** The way to define a package's tools: `const defineTool = toolDefiner<Todo>()`. */
export function toolDefiner<Deps>() {
  return <Input extends z.ZodObject, Output extends z.ZodType | undefined = undefined>(
    spec: ToolSpec<Deps, Input, Output>,
  ): Tool<Deps> => {
    const policy = policyOf(spec.output);
    return {
      name: spec.name,
      policy,
      list: (view) => listing(spec, policy, view),
      async call(args, deps, ctx) {
        try {
          const answer = await spec.run(parseArguments(spec.input, args), deps, ctx);
          return isInputRequired(answer) ? answer : present(answer, policy, ctx.era);
        } catch (error) {
          return errorResult(error, spec.name, ctx);
        }
      },
    };
  };
}

function policyOf(output: z.ZodType | undefined): ResultPolicy {
  if (output === undefined) return 'content';
  return output instanceof z.ZodArray ? 'list' : 'object';
}

function listing(
  spec: ToolSpec<never, z.ZodObject, z.ZodType | undefined>,
  policy: ResultPolicy,
  { era, toolName }: View,
): ToolListing {
  const { name, title, input, output, hints, meta } = spec;
  const advertised = output !== undefined && (policy === 'object' || era === 'modern');
  return {
    name: toolName(name),
    title,
    description: textOf(spec.description, toolName),
    inputSchema: { type: 'object', ...jsonSchema(input) },
    ...(advertised ? { outputSchema: jsonSchema(output) } : {}),
    annotations: { title, ...hints },
    ...(meta === undefined ? {} : { _meta: { ...meta } }),
  };
}
