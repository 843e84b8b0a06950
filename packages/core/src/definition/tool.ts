import type {
  CallToolResult,
  Icon,
  InputRequiredResult,
  Tool as ToolListing,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { type Text, textOf, UserError } from '../errors/index.ts';
import { parseArguments } from '../validation/arguments.ts';
import { inputProblem, jsonSchema, outputProblem } from '../validation/json-schema.ts';
import {
  type Awaitable,
  isInputRequired,
  type Principal,
  type RequestContext,
  type View,
} from './context.ts';
import { checkName, checkSchema } from './checks.ts';
import { type Content, errorResult, type Reply, resultOf, type ResultPolicy } from './results.ts';

/** MCP's tool annotations. All four are required, because the protocol's defaults assume the worst. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

interface SchemaOfType<Definition> {
  readonly _zod: { readonly def: Definition };
}
type ObjectSchema =
  | SchemaOfType<{ readonly type: 'object' }>
  | SchemaOfType<{ readonly type: 'union'; readonly options: readonly ObjectSchema[] }>;

/** The schema of a tool's answers: an object, a union of objects, or an array. */
export type ToolOutput = z.ZodType & (ObjectSchema | SchemaOfType<{ readonly type: 'array' }>);

type Answer<Output> = Output extends z.ZodType ? Unchanged<z.input<Output>> : Content;

/** Answers are sent and never changed, so they may be read-only. */
type Unchanged<T> = T extends (infer Item)[]
  ? readonly Unchanged<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Unchanged<T[Key]> }
    : T;

/** @typeParam Value what `run` returns, except with `reply` */
export interface ToolSpec<
  Deps,
  Input extends z.ZodObject,
  Output extends ToolOutput | undefined = undefined,
  Value extends Answer<Output> = Answer<Output>,
> {
  /** 1 to 128 letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  readonly title: string;
  readonly description: Text;
  readonly annotations: ToolAnnotations;
  /** The arguments: validated, and listed as JSON Schema. Unknown arguments are ignored unless it is strict. */
  readonly input: Input;
  /**
   * The answer, which is checked and sent as `run` returns it. An object or a union of objects is listed and sent as
   * `structuredContent` too; an array is sent as text only. Omit it for a tool that answers text or images.
   */
  readonly output?: Output;
  readonly icons?: readonly Icon[];
  /** `_meta` of the listing. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** What an access token must allow. A call without it is refused, over HTTP with a challenge. Default: nothing. */
  readonly scopes?: readonly string[];
  /** @throws UserError for a failure that the model can act on; any other error is a defect */
  readonly run: (
    args: z.output<Input>,
    deps: Deps,
    ctx: RequestContext,
  ) => Awaitable<Value | Reply<Answer<Output>> | InputRequiredResult>;
}

/** A tool as data: its listing and its answers. It knows nothing of servers. */
export interface Tool<Deps> {
  readonly name: string;
  readonly scopes?: readonly string[];
  list(view: View): ToolListing;
  /**
   * Validates the arguments, runs the tool and returns its result.
   *
   * @throws ProtocolError only
   */
  call(args: unknown, deps: Deps, ctx: RequestContext): Promise<CallToolResult | InputRequiredResult>;
}

/**
 * Returns the function that defines tools with these dependencies: `const defineTool = toolDefiner<Todo>()`. It throws
 * an error that names tool and field if the definition cannot work.
 */
export function toolDefiner<Deps>() {
  // `const`: a text that `run` returns keeps its literal type, as the output schema requires.
  return <
    Input extends z.ZodObject,
    Output extends ToolOutput | undefined = undefined,
    const Value extends Answer<Output> = Answer<Output>,
  >(
    spec: ToolSpec<Deps, Input, Output, Value>,
  ): Tool<Deps> => {
    checkTool(spec);
    const policy = policyOf(spec.output);
    return {
      name: spec.name,
      ...(spec.scopes === undefined ? {} : { scopes: spec.scopes }),
      list: (view) => toolListing(spec, policy, view),
      async call(args, deps, ctx) {
        try {
          requireScopes(spec, ctx.principal);
          const answer = await spec.run(parseArguments(spec.input, args), deps, ctx);
          return isInputRequired(answer) ? answer : resultOf(answer, policy, spec.output);
        } catch (error) {
          return errorResult(error, spec.name, ctx);
        }
      },
    };
  };
}

/** @throws UserError */
function requireScopes({ scopes = [] }: Pick<Tool<never>, 'scopes'>, principal: Principal): void {
  const missing = scopes.filter((scope) => principal.scopes?.includes(scope) === false);
  if (missing.length === 0) return;
  throw new UserError({
    error: 'The access token does not allow this tool',
    code: 'UNAVAILABLE',
    hint: `It needs the scope ${missing.join(' and ')}. Tell the person to log in again.`,
  });
}

function checkTool({ name, input, output }: ToolSpec<never, z.ZodObject, ToolOutput | undefined>): void {
  checkName('Tool', name);
  if (typeOf(input) !== 'object') throw new Error(`Tool "${name}": input must be an object schema.`);
  checkSchema(`Tool "${name}": input`, inputProblem(input));
  if (output === undefined) return;
  if (typeOf(output) !== 'array' && !isObjectOutput(output)) {
    throw new Error(
      `Tool "${name}": output must be an object schema, a union of object schemas or an array schema. Omit it for a tool that answers text.`,
    );
  }
  checkSchema(`Tool "${name}": output`, outputProblem(output));
}

/** No `instanceof`: the schema may come from another copy of Zod. */
function typeOf(schema: z.core.$ZodType): string {
  return schema._zod.def.type;
}

function isObjectOutput(schema: z.core.$ZodType): boolean {
  if (typeOf(schema) === 'object') return true;
  return isUnion(schema) && schema._zod.def.options.every(isObjectOutput);
}

function isUnion(schema: z.core.$ZodType): schema is z.core.$ZodUnion {
  return typeOf(schema) === 'union';
}

function policyOf(output: z.ZodType | undefined): ResultPolicy {
  if (output === undefined) return 'content';
  return typeOf(output) === 'array' ? 'list' : 'object';
}

function toolListing(
  spec: ToolSpec<never, z.ZodObject, ToolOutput | undefined>,
  policy: ResultPolicy,
  { toolName }: View,
): ToolListing {
  const { name, title, input, output, annotations, icons, meta } = spec;
  return {
    name: toolName(name),
    title,
    description: textOf(spec.description, toolName),
    inputSchema: { type: 'object', ...jsonSchema(input) },
    // A union has no `type` in JSON Schema, and the legacy era requires one.
    ...(output === undefined || policy !== 'object'
      ? {}
      : { outputSchema: { type: 'object' as const, ...jsonSchema(output) } }),
    annotations: { title, ...annotations },
    ...(icons === undefined ? {} : { icons: [...icons] }),
    ...(meta === undefined ? {} : { _meta: { ...meta } }),
  };
}
