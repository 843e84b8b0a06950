import { parseArgs } from 'node:util';
import * as z from 'zod';
import { messageOf, StartError } from '../errors/index.ts';
import { quoted } from '../text/index.ts';
import { readAddress } from './addresses.ts';
import type { Options, Setting } from './options.ts';
import { suggestionFor } from './suggest.ts';

/** Flags by their names without dashes. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

export interface Arguments {
  readonly flags: Flags;
  /** The words that are neither flags nor their values; everything behind `--`. */
  readonly operands: readonly string[];
  /** How many operands are before `--`; -1 without it. */
  readonly separatedAt: number;
}

export interface OptionSources {
  readonly flags: Flags;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The content of a configuration file, by the fields' own names. */
  readonly file?: Readonly<Record<string, unknown>> | undefined;
  /** False if a client started the program: then the flags are of its configuration. Default: a person typed them. */
  readonly isTyped?: boolean;
}

/**
 * Separates flags from operands. Flags may appear before, between and after the operands; everything behind `--` is an
 * operand.
 *
 * @throws StartError for an unknown flag, a missing value, or a value for a switch
 */
export function readArguments(settings: readonly Setting[], argv: readonly string[]): Arguments {
  const known = new Map(
    settings.flatMap((setting) => (setting.flag === undefined ? [] : [[setting.flag, setting]])),
  );
  const options = Object.fromEntries(
    [...known].map(([flag, { short, placeholder }]) => {
      const type: 'boolean' | 'string' = placeholder === undefined ? 'boolean' : 'string';
      return [flag, { type, ...(short && { short }) }];
    }),
  );
  // A library such as commander would add 8 ms to every start.
  const lenient = { strict: false, allowNegative: true } as const;
  const { tokens } = parseArgs({ ...lenient, tokens: true, args: [...argv], options });
  const flags: Record<string, string | boolean> = {};
  const operands: string[] = [];
  let separatedAt = -1;
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind === 'option-terminator') separatedAt = operands.length;
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    // The parser takes the switch `--no-allow`, and `--no-mounts` without its value, for a negation: its name is `allow`.
    const exact = known.get(rawName.slice(2));
    const setting = exact ?? known.get(name);
    const negative = exact === undefined && rawName === `--no-${name}`;
    if (setting === undefined || (negative && setting.placeholder !== undefined)) {
      const all = [...known.keys()].map((flag) => `--${flag}`);
      throw new StartError(`Unknown option ${quoted(rawName)}.${suggestionFor(rawName, all)} See --help.`);
    }
    const { flag = name } = setting;
    if (setting.placeholder === undefined) {
      if (value !== undefined) throw new StartError(`${rawName} takes no value. See --help.`);
      flags[flag] = !negative;
      continue;
    }
    if (value === undefined) {
      throw new StartError(`${rawName} needs a value: ${rawName} ${setting.placeholder}. See --help.`);
    }
    if (!inlineValue && value.startsWith('-') && value !== '-') {
      throw new StartError(
        `${rawName} needs a value, and ${quoted(value)} looks like an option. Write ${quoted(`${rawName}${rawName.startsWith('--') ? '=' : ''}${value}`)} if it is the value. See --help.`,
      );
    }
    const earlier = flags[flag];
    flags[flag] =
      setting.isList && typeof earlier === 'string' ? `${earlier}${setting.separator}${value}` : value;
  }
  return { flags, operands, separatedAt };
}

/**
 * Reads options from flags, then the environment, then a file, then the defaults.
 *
 * @throws StartError that names the value, its source and what would be valid
 */
export function readOptions<Schema extends z.ZodObject>(
  { schema, settings }: Options<Schema>,
  sources: OptionSources,
): z.output<Schema> {
  const given = new Map(settings.map((setting) => [setting.key, find(setting, sources)]));
  const values = [...given].flatMap(([key, found]) => (found === undefined ? [] : [[key, found.value]]));
  // A program reads its options once: to compile the schema first would cost more than it saves.
  const parsed = schema.safeParse(Object.fromEntries(values), { error: messageFor, jitless: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const key = String(issue?.path[0]);
  const problem = (issue?.message ?? '').replace(/\.$/, '');
  throw new StartError(`${given.get(key)?.origin ?? key}: ${problem}. See --help.`);
}

export interface Found {
  readonly value: unknown;
  /** `--port`, `TODO_TOOLS`, `port in the configuration file` */
  readonly origin: string;
}

/** The value of a setting and where it comes from, undefined if the default applies. Only an address is validated. */
export function find(
  { key, flag, env, placeholder, address }: Setting,
  sources: OptionSources,
): Found | undefined {
  const candidates: readonly Found[] = [
    { value: flag === undefined ? undefined : sources.flags[flag], origin: `--${flag}` },
    // An empty value is how a shell unsets a variable.
    { value: (env !== undefined && sources.env[env]) || undefined, origin: env ?? '' },
    { value: sources.file?.[key], origin: `${key} in the configuration file` },
  ];
  const found = candidates.find(({ value }) => value !== undefined);
  if (found === undefined) return undefined;
  if (placeholder === undefined) return { ...found, value: asSwitch(found) };
  const { value, origin } = found;
  if (address === undefined || typeof value !== 'string') return found;
  // An empty word of the command line is a mistake that the field names, if it is one.
  if (value === '') return found;
  const isTyped = origin === `--${flag}` && sources.isTyped !== false;
  try {
    return { origin, value: readAddress(value, address, { isTyped }) };
  } catch (error) {
    throw new StartError(`${origin}: ${messageOf(error).replace(/\.$/, '')}. See --help.`, { cause: error });
  }
}

function asSwitch({ value, origin }: Found): boolean {
  if (typeof value === 'boolean') return value;
  const parsed = z.stringbool().safeParse(value);
  if (parsed.success) return parsed.data;
  throw new StartError(`${origin}: use true or false. See --help.`);
}

/** What a value should be, for fields that define no message. */
function messageFor(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'the value is empty'
        : `use at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `use at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_value':
      return `use one of ${issue.values.join(', ')}`;
    case 'invalid_type':
      return EXPECTED[issue.expected] ?? INVALID;
    default:
      return INVALID;
  }
}

const INVALID = 'the value is invalid';

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'use a text',
  number: 'use a number',
  int: 'use an integer',
  boolean: 'use true or false',
};

function unitOf(origin: string): string {
  return origin === 'string' ? ' characters' : '';
}
