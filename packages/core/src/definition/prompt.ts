import {
  type InputRequiredResult,
  type PromptMessage,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { visible } from '../log/visible.ts';
import type { Awaitable, RequestContext, Text } from './context.ts';
import type { Completer } from './completion.ts';
import { isInputRequired } from './input-required.ts';

export interface PromptSpec<Deps, Arguments extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: Text;
  /** Strings all: the protocol knows no other prompt argument. */
  readonly arguments: Arguments;
  readonly complete?: Readonly<Record<string, Completer<Deps>>>;
  /** A text becomes one message of the user. */
  readonly run: (
    args: z.output<Arguments>,
    deps: Deps,
    ctx: RequestContext,
  ) => Awaitable<string | readonly PromptMessage[] | InputRequiredResult>;
}

export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
}

/** A prompt as data. */
export interface Prompt<Deps> {
  readonly name: string;
  readonly title: string;
  readonly description: Text;
  readonly arguments: readonly PromptArgument[];
  readonly complete: Readonly<Record<string, Completer<Deps>>>;
  /** @throws ProtocolError −32602 where an argument is missing or does not fit. */
  run(
    args: unknown,
    deps: Deps,
    ctx: RequestContext,
  ): Promise<readonly PromptMessage[] | InputRequiredResult>;
}

/** The way to define a package's prompts: `const definePrompt = promptDefiner<Todo>()`. */
export function promptDefiner<Deps>() {
  return <Arguments extends z.ZodObject>(spec: PromptSpec<Deps, Arguments>): Prompt<Deps> => ({
    name: spec.name,
    title: spec.title,
    description: spec.description,
    arguments: Object.entries(spec.arguments.shape).map(([name, schema]) => argument(name, schema)),
    complete: spec.complete ?? {},
    async run(args, deps, ctx) {
      const parsed = spec.arguments.safeParse(args ?? {});
      if (!parsed.success)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, firstProblem(parsed.error));
      const answer = await spec.run(parsed.data, deps, ctx);
      if (isInputRequired(answer) || typeof answer !== 'string') return answer;
      return [{ role: 'user', content: { type: 'text', text: answer } }];
    },
  });
}

function argument(name: string, schema: z.core.$ZodType): PromptArgument {
  const description = z.globalRegistry.get(schema)?.description;
  const required = !z.safeParse(schema, undefined).success;
  return { name, ...(description === undefined ? {} : { description }), required };
}

function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  return `Invalid prompt argument "${visible(issue?.path.map(String).join('.') ?? '')}": ${visible(issue?.message ?? '')}`;
}
