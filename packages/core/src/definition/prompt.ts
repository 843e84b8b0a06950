import type {
  Icon,
  InputRequiredResult,
  Prompt as PromptListing,
  PromptMessage,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { isObject } from '../base/values.ts';
import { type Text, UserError } from '../errors/index.ts';
import { escapeInvisible, isBlank } from '../text/index.ts';
import { jsonSchema } from '../schemas/json-schema.ts';
import { inputProblem } from '../schemas/schema-problems.ts';
import { definitionOf } from '../schemas/schema-tree.ts';
import type { Awaitable, Completer, RequestContext } from './context.ts';
import { checkCompleters, checkName, checkSchema } from './checks.ts';

export interface PromptSpec<Deps, Arguments extends z.ZodObject> {
  /** 1 to 128 letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  readonly title: string;
  readonly description: Text;
  /**
   * Every value is a string: the protocol has no other prompt arguments. `.meta({ title, description })` of an argument
   * is listed.
   */
  readonly arguments: Arguments;
  /** Suggests values, by argument name. */
  readonly complete?: Readonly<Record<string, Completer<Deps>>>;
  readonly icons?: readonly Icon[];
  /** `_meta` of the listing. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /**
   * A returned text becomes one user message.
   *
   * @throws UserError for a failure that the caller can act on
   */
  readonly run: (
    args: z.output<Arguments>,
    deps: Deps,
    ctx: RequestContext,
  ) => Awaitable<string | readonly PromptMessage[] | InputRequiredResult>;
}

type PromptArgument = NonNullable<PromptListing['arguments']>[number];

/** A prompt as data. */
export interface Prompt<Deps> extends Omit<PromptSpec<Deps, z.ZodObject>, 'arguments' | 'run'> {
  readonly arguments: readonly PromptArgument[];
  /** @throws UserError INVALID_ARGUMENT if an argument is missing or invalid */
  run(
    args: unknown,
    deps: Deps,
    ctx: RequestContext,
  ): Promise<readonly PromptMessage[] | InputRequiredResult>;
}

/**
 * Returns the function that defines prompts with these dependencies: `const definePrompt = promptDefiner<Todo>()`. It
 * throws an error that names prompt and argument if the definition cannot work.
 */
export function promptDefiner<Deps>() {
  return <Arguments extends z.ZodObject>(spec: PromptSpec<Deps, Arguments>): Prompt<Deps> => {
    const { name } = spec;
    checkName('Prompt', name);
    checkSchema(`Prompt "${name}": argument`, inputProblem(spec.arguments));
    checkCompleters(`Prompt "${name}"`, spec.complete, Object.keys(spec.arguments.shape));
    return {
      ...spec,
      arguments: Object.entries(spec.arguments.shape).map(([argument, schema]) =>
        promptArgument(name, argument, schema),
      ),
      async run(args, deps, ctx) {
        const parsed = spec.arguments.safeParse(withoutBlanks(spec.arguments, isObject(args) ? args : {}));
        if (!parsed.success) throw invalidArgument(parsed.error, spec.arguments);
        const answer = await spec.run(parsed.data, deps, ctx);
        if (typeof answer !== 'string') return answer;
        return [{ role: 'user', content: { type: 'text', text: answer } }];
      },
    };
  };
}

/** Forms of hosts send '' for an optional argument that the person left empty. */
function withoutBlanks({ shape }: z.ZodObject, args: Readonly<Record<string, unknown>>) {
  const isLeftOut = ([name, value]: readonly [string, unknown]) => {
    const field = typeof value === 'string' && isBlank(value) ? shape[name] : undefined;
    return field !== undefined && z.safeParse(field, undefined).success;
  };
  return Object.fromEntries(Object.entries(args).filter((entry) => !isLeftOut(entry)));
}

function promptArgument(prompt: string, name: string, schema: z.core.$ZodType): PromptArgument {
  const { title, description, type } = jsonSchema(schema);
  if (typeof type === 'string' && type !== 'string' && !acceptsText(schema)) {
    throw new Error(
      `Prompt "${prompt}": argument "${name}" cannot work: it must be of type ${type}, but prompt arguments are strings.`,
    );
  }
  return {
    name,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    required: !z.safeParse(schema, undefined).success,
  };
}

/** Finds coercions and preprocessing: `z.coerce.number()` reads a string. */
function acceptsText(schema: z.core.$ZodType): boolean {
  const { coerce, type, innerType } = definitionOf(schema);
  return coerce === true || type === 'pipe' || (innerType !== undefined && acceptsText(innerType));
}

function invalidArgument({ issues }: z.ZodError, { shape }: z.ZodObject): UserError {
  const [issue] = issues;
  const name = escapeInvisible(issue?.path.map(String).join('.') ?? '');
  const message = escapeInvisible(issue?.message ?? 'invalid');
  return new UserError({
    error: name === '' ? message : `Invalid prompt argument "${name}": ${message}`,
    code: 'INVALID_ARGUMENT',
    hint: `The prompt's arguments are: ${Object.keys(shape).join(', ')}.`,
  });
}
