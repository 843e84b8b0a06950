import { parseArgs } from 'node:util';
import { z } from 'zod';
import { StartError } from '../run/start-error.ts';
import type { Options, Setting } from './options.ts';
import { wordsFor } from './words.ts';

/** Flags as written, by their names without dashes. */
export type Flags = Readonly<Record<string, unknown>>;

export interface OptionSources {
  readonly flags: Flags;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What a configuration file says, by the fields' own names. */
  readonly file?: Readonly<Record<string, unknown>>;
}

/**
 * @param argv without the program's own two
 * @throws StartError for a flag that is none of the settings', or lacks its value
 */
export function readFlags(settings: readonly Setting[], argv: readonly string[]): Flags {
  const options = Object.fromEntries(
    settings.flatMap(({ flag, placeholder }) =>
      flag === undefined ? [] : [[flag, { type: placeholder === undefined ? 'boolean' : 'string' } as const]],
    ),
  );
  try {
    return parseArgs({ args: [...argv], options, allowNegative: true }).values;
  } catch (error) {
    const [sentence = ''] = error instanceof Error ? error.message.split('. ') : [];
    throw new StartError(`${sentence}. See --help.`, { cause: error });
  }
}

/**
 * Reads options from flags, then the environment, then a file, then the defaults.
 *
 * @throws StartError that says which value is wrong, where it came from and what would be right
 */
export function readOptions<Schema extends z.ZodObject>(
  { schema, settings }: Options<Schema>,
  sources: OptionSources,
): z.output<Schema> {
  const given = new Map(settings.map((setting) => [setting.key, find(setting, sources)]));
  const values = [...given].flatMap(([key, found]) => (found === undefined ? [] : [[key, found.value]]));
  const parsed = schema.safeParse(Object.fromEntries(values), { error: wordsFor });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const key = String(issue?.path[0]);
  throw new StartError(`${given.get(key)?.origin ?? key}: ${issue?.message}. See --help.`);
}

interface Found {
  readonly value: unknown;
  readonly origin: string;
}

function find({ key, flag, env, placeholder }: Setting, sources: OptionSources): Found | undefined {
  const candidates: readonly Found[] = [
    { value: flag === undefined ? undefined : sources.flags[flag], origin: `--${flag}` },
    // An empty value is how a shell unsets.
    { value: sources.env[env] === '' ? undefined : sources.env[env], origin: env },
    { value: sources.file?.[key], origin: `${key} in the configuration file` },
  ];
  const found = candidates.find(({ value }) => value !== undefined);
  if (found === undefined || placeholder !== undefined) return found;
  return { ...found, value: asSwitch(found) };
}

function asSwitch({ value, origin }: Found): boolean {
  if (typeof value === 'boolean') return value;
  const parsed = z.stringbool().safeParse(value);
  if (parsed.success) return parsed.data;
  throw new StartError(`${origin}: use true or false. See --help.`);
}
