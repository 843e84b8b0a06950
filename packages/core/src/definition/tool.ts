import type {
  CallToolResult,
  Icon,
  InputRequiredResult,
  Tool as ToolListing,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { type Text, textOf, UserError } from '../errors/index.ts';
import { withPlainNumbers } from '../base/json.ts';
import { parseArguments } from '../schemas/arguments.ts';
import { jsonSchema } from '../schemas/json-schema.ts';
import { inputProblem, outputProblem } from '../schemas/schema-problems.ts';
import { definitionOf } from '../schemas/schema-tree.ts';
import {
  type Awaitable,
  type Claims,
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

export interface ToolSpec<
  Deps,
  Input extends z.ZodObject,
  Output extends ToolOutput | undefined = undefined,
> {
  /** 1 to 128 letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  readonly title: string;
  readonly description: Text;
  readonly annotations: ToolAnnotations;
  /** The arguments: validated, and listed as JSON Schema. Unknown arguments are ignored unless it is strict. */
  readonly input: Input;
  /**
   * The answer: what `run` returns is checked and encoded, without fields that the schema does not declare. An object or
   * a union of objects is listed and sent as `structuredContent` too; an array is sent as text only. Omit it for a tool
   * that answers text or images.
   */
  readonly output?: Output;
  /**
   * The error for arguments that `input` rejects, if a specification fixes its texts or their order. The schema then says itself
   * what else it accepts, such as null. Default: INVALID_ARGUMENT that names the first invalid argument.
   *
   * @param args as they were given
   */
  readonly rejected?: (
    issues: readonly z.core.$ZodIssue[],
    args: Readonly<Record<string, unknown>>,
    deps: Deps,
    ctx: RequestContext,
  ) => unknown;
  readonly icons?: readonly Icon[];
  /** `_meta` of the listing. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** What an access token must allow. A call without it is refused, over HTTP with a challenge. Default: nothing. */
  readonly scopes?: readonly string[];
  /** @throws UserError for a failure that the model can act on; any other error is a defect */
  readonly run: (args: z.output<Input>, deps: Deps, ctx: RequestContext) => Awaitable<Result<Output>>;
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
 *
 * @typeParam UserClaims what the verifier of the server returns; stdio has no claims
 */
export function toolDefiner<Deps, UserClaims extends Claims = Claims>() {
  // `const`: a text that `run` returns keeps its literal type, as the output schema requires.
  return <Input, const Value, Output = undefined>(
    spec: CheckedToolSpec<Deps, UserClaims, Input, Output, Value>,
  ): Tool<Deps> =>
    // The checked types only differ in their messages.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    toolFromSpec(spec as unknown as ToolSpec<Deps, z.ZodObject, ToolOutput | undefined>);
}

/**
 * Defines a tool from a spec with known types, for functions that wrap `run`.
 *
 * @throws Error that names tool and field if the definition cannot work
 */
export function toolFromSpec<Deps, Input extends z.ZodObject, Output extends ToolOutput | undefined>(
  spec: ToolSpec<Deps, Input, Output>,
): Tool<Deps> {
  checkTool(spec);
  const policy = policyOf(spec.output);
  return {
    name: spec.name,
    ...(spec.scopes === undefined ? {} : { scopes: spec.scopes }),
    list: (view) => toolListing(spec, policy, view),
    async call(args, deps, ctx) {
      try {
        requireScopes(spec, ctx.principal);
        const { input, rejected } = spec;
        const values = parseArguments(
          input,
          withPlainNumbers(args),
          rejected && ((issues, given) => rejected(issues, given, deps, ctx)),
        );
        const answer = await spec.run(values, deps, ctx);
        return isInputRequired(answer) ? answer : resultOf(answer, policy, spec.output);
      } catch (error) {
        return errorResult(error, spec.name, ctx);
      }
    },
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

/** What all specs have in common. */
type AnySpec = Omit<ToolSpec<never, z.ZodObject, ToolOutput | undefined>, 'run' | 'rejected'>;

function checkTool({ name, input, output }: AnySpec): void {
  checkName('Tool', name);
  checkSchema(`Tool "${name}": input`, inputProblem(input));
  const { type, discriminator } = definitionOf(input);
  if (type !== 'object' && discriminator === undefined) {
    throw new Error(`Tool "${name}": input must be an object schema, or a discriminated union of them.`);
  }
  if (output === undefined) return;
  checkSchema(`Tool "${name}": output`, outputProblem(output));
  if (policyOf(output) !== 'list' && !isObjectOutput(output)) {
    throw new Error(
      `Tool "${name}": output must be an object schema, a union of object schemas or an array schema. Omit it for a tool that answers text.`,
    );
  }
}

function isObjectOutput(schema: z.core.$ZodType): boolean {
  const { type, options = [] } = definitionOf(schema);
  return type === 'object' || (type === 'union' && options.every(isObjectOutput));
}

function policyOf(output: z.ZodType | undefined): ResultPolicy {
  if (output === undefined) return 'content';
  return definitionOf(output).type === 'array' ? 'list' : 'object';
}

function toolListing(spec: AnySpec, policy: ResultPolicy, { toolName }: View): ToolListing {
  const { name, title, input, output, annotations, icons, meta } = spec;
  return {
    name: toolName(name),
    title,
    description: textOf(spec.description, toolName),
    inputSchema: { type: 'object', ...jsonSchema(input) },
    // A union has no `type` in JSON Schema, and the legacy era requires one.
    ...(output === undefined || policy !== 'object'
      ? {}
      : { outputSchema: { type: 'object' as const, ...jsonSchema(output, 'output') } }),
    // Some hosts show only this title: Claude Code 2.1, and all clients from before the other one existed.
    annotations: { title, ...annotations },
    ...(icons === undefined ? {} : { icons: [...icons] }),
    ...(meta === undefined ? {} : { _meta: { ...meta } }),
  };
}

// What the compiler checks. A text here is the first line of its message.

/** A spec whose types say what is wrong with it: the first line of the compiler's message is one of these texts. */
export interface CheckedToolSpec<Deps, UserClaims extends Claims, Input, Output, Value> extends Omit<
  ToolSpec<Deps, z.ZodObject>,
  'input' | 'output' | 'run'
> {
  readonly input: Input extends ToolInput
    ? Input
    : WrongSchema<
        Input,
        'The input must be an object schema, such as z.object({}), or a discriminated union of them.'
      >;
  readonly output?: Output extends OutputSchema | undefined
    ? Output
    : WrongSchema<
        Output,
        'The output must be an object schema, a union of object schemas or an array schema. Omit it for texts and images.'
      >;
  readonly run: (
    args: Input extends Schema ? Input['_zod']['output'] : never,
    deps: Deps,
    ctx: RequestContext<UserClaims>,
  ) => Awaited<Value> extends UsualAnswer<Output>
    ? Value
    : Awaited<Value> extends Result<Output>
      ? Value
      : Mistake<Awaited<Value>, Output>;
}

type Mistake<Value, Output> = Output extends Schema
  ? [Missing<Value, Answer<Output>>] extends [never]
    ? Awaitable<Result<Output>>
    : `The answer lacks the field ${Missing<Value, Answer<Output>>}.`
  : 'A tool without an output schema returns a text or an array of content blocks.';

/** The required fields that an object lacks, if the rest of it fits. */
type Missing<Value, Expected> = Value extends object
  ? Expected extends object
    ? Value extends Partial<Pick<Expected, keyof Expected & keyof Value>>
      ? Exclude<RequiredKeys<Expected>, RequiredKeys<Value>> & string
      : never
    : never
  : never;

/** The keys of the fields that cannot be undefined. */
type RequiredKeys<Value> = keyof { [Key in keyof Value as undefined extends Value[Key] ? never : Key]: 0 };

type ZodVersion = z.core.$ZodType['_zod']['version'];

/**
 * What the types need to know of a schema. The types of Zod have all methods of a schema: to compare with them takes the compiler three
 * times as long.
 */
interface Schema<Definition = { readonly type: string }> {
  readonly _zod: {
    readonly def: Definition;
    readonly version: ZodVersion;
    readonly input: unknown;
    readonly output: unknown;
  };
}

type ObjectSchema =
  | Schema<{ readonly type: 'object' }>
  | Schema<{ readonly type: 'union'; readonly options: readonly ObjectSchema[] }>;

type OutputSchema = ObjectSchema | Schema<{ readonly type: 'array' }>;

/** The schema of a tool's answers: an object, a union of objects, or an array. */
export type ToolOutput = z.ZodType & OutputSchema;

type Answer<Output> = Output extends Schema
  ? Unchanged<Returned<Output['_zod']['input'], Output['_zod']['output']>>
  : Content;

/** What most tools return. It is compared first, because the whole comparison takes the compiler longer. */
type UsualAnswer<Output> = Output extends Schema ? Output['_zod']['output'] : string;

/** With codecs, what they decode to. Without, fields with a default may be missing. */
type Returned<Encoded, Decoded> = [Decoded] extends [Encoded] ? Encoded : Decoded;

/** Answers are encoded and never changed, so they may be read-only. */
type Unchanged<T> = T extends (infer Item)[]
  ? readonly Unchanged<Item>[]
  : T extends Readonly<Record<string, unknown>>
    ? { readonly [Key in keyof T]: Unchanged<T[Key]> }
    : T;

/** What `run` may return. */
type Result<Output> = Answer<Output> | Reply<Answer<Output>> | InputRequiredResult;

/** What a tool accepts as its input: an object, or a union of objects with a discriminator. */
type ToolInput = Schema<
  { readonly type: 'object' } | { readonly type: 'union'; readonly discriminator: string }
>;

type OtherVersion =
  `The schema is of another version of Zod. Install one for all packages: npm install zod@^${ZodVersion['major']}.${ZodVersion['minor']}.0`;

/** A schema of any version of Zod. */
type AnySchema = { readonly _zod: unknown } | { readonly _def: unknown };

/** The message for a schema that has the wrong type or version. */
type WrongSchema<Given, Message> = Given extends Schema
  ? Message
  : Given extends AnySchema
    ? OtherVersion
    : Message;
