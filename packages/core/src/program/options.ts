import * as z from 'zod';
import { unlessStartFails } from '../errors/index.ts';
import { LOG_LEVELS } from '../log.ts';
import type { AddressKind } from './addresses.ts';

interface SettingText {
  /** True for a value that no program may show. */
  readonly isSecret: boolean;
  /** True if the value can change what the server lists: tools, prompts, resources or instructions. */
  readonly changesListing: boolean;
  /** One letter for the flag: `n` for `-n`. */
  readonly short?: string | undefined;
  /** What the README shows for a default that depends on the machine. */
  readonly defaultText?: string | undefined;
  /** What a repeated flag puts between its values. */
  readonly separator: string;
  readonly description: string;
}

/** What a field may state in `.meta({...})`. */
interface SettingMeta extends Omit<Partial<SettingText>, 'description'> {
  readonly description?: string | undefined;
  /** Environment name. Default: the prefix and the field's name. */
  readonly env?: string;
  /** False for values that must not appear in a process list. */
  readonly flag?: false;
  /** The value in the help: `FILE`. */
  readonly placeholder?: string;
  /** What `--help` shows as the default of an optional field that the program resolves later. */
  readonly defaultPath?: () => string;
  /** True for several values separated by commas; the flag may also be repeated. */
  readonly list?: boolean;
  /** What the option accepts as the place of something. Default: by the placeholder `FILE`, `FOLDER` or `URL`. */
  readonly address?: AddressKind;
}

/** One setting as flag, environment name, help entry, README row and entry of the MCP registry. */
export interface Setting extends SettingText {
  readonly key: string;
  /** Without its dashes; undefined if the environment is the only source. */
  readonly flag: string | undefined;
  /** Undefined for an argument of one command. */
  readonly env: string | undefined;
  /** Undefined for a switch, which takes no value. */
  readonly placeholder: string | undefined;
  /** On this machine. `defaultText` is for documentation. */
  readonly default: unknown;
  /** True if the flag may be repeated. */
  readonly isList: boolean;
  /** Set if the value is the place of something: it is read with `readAddress`. */
  readonly address: AddressKind | undefined;
}

/** One rule for the options of all servers. */
const ADDRESSES: Readonly<Record<string, AddressKind>> = {
  FILE: { isPath: true },
  FOLDER: { isPath: true },
  URL: { isPath: false },
};

/** The settings of a program as one Zod object, and as a table. */
export interface Options<Schema extends z.ZodObject = z.ZodObject> {
  readonly schema: Schema;
  readonly settings: readonly Setting[];
  /** The port that the server takes with `--http`. */
  readonly httpPort?: number;
}

/** The values of a program's settings. */
export type OptionsOf<Program extends Options> = Readonly<z.output<Program['schema']>>;

/** The port of the aggregator, and of servers that choose none. */
const DEFAULT_HTTP_PORT = 3333;

/**
 * Declares settings once: flags, environment names, `--help`, the README list and validation come from it.
 *
 * @param prefix of the environment names: `TODO` makes `TODO_USER_ID` of `userId`; undefined for none
 * @param shape of Zod fields, each with `.meta({ description, placeholder, … })`
 * @param server what differs between servers besides their settings
 * @throws Error for fields that cannot work as options
 */
export function defineOptions<Shape extends z.ZodRawShape>(
  prefix: string | undefined,
  shape: Shape,
  server: { readonly httpPort?: number } = {},
): Options<z.ZodObject<Shape>> {
  const settings = Object.entries(shape).map(([key, field]) => settingOf(prefix, key, field));
  return { ...server, schema: z.object(shape), settings: unambiguous(settings) };
}

/**
 * The arguments of one command: flags without environment names.
 *
 * @param shape as for `defineOptions`
 */
export function defineFlags<Shape extends z.ZodRawShape>(shape: Shape): Options<z.ZodObject<Shape>> {
  return defineOptions(undefined, shape);
}

/** Some settings of a server, for a command that needs no others. */
export function pickOptions<Shape extends z.ZodRawShape, Picked extends z.ZodRawShape>(
  { schema, settings }: Options<z.ZodObject<Shape>>,
  pick: (shape: Shape) => Picked,
): Options<z.ZodObject<Picked>> {
  const picked = pick(schema.shape);
  return { schema: z.object(picked), settings: settings.filter(({ key }) => Object.hasOwn(picked, key)) };
}

/** Two sets of settings as one, the first set first in the help. @throws Error if they share a flag */
export function combineOptions<First extends z.ZodRawShape, Second extends z.ZodRawShape>(
  first: Options<z.ZodObject<First>>,
  second: Options<z.ZodObject<Second>>,
): Options<z.ZodObject<First & Second>> {
  return {
    schema: z.object({ ...first.schema.shape, ...second.schema.shape }),
    settings: unambiguous([...first.settings, ...second.settings]),
  };
}

/**
 * Completes the options that a program passes in code: a missing one gets its default. Given values are not validated.
 *
 * @throws StartError if a default cannot be determined on this machine
 */
export function withDefaults<Schema extends z.ZodObject>(
  { schema }: Options<Schema>,
  given: Partial<z.output<Schema>>,
): z.output<Schema> {
  const missing = Object.entries(schema.shape).filter(([key]) => given[key] === undefined);
  const defaults = Object.fromEntries(missing.map(([key, field]) => [key, z.parse(field, undefined)]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field is given or a default
  return { ...given, ...defaults } as z.output<Schema>;
}

function settingOf(prefix: string | undefined, key: string, field: z.core.$ZodType): Setting {
  const meta: SettingMeta = z.globalRegistry.get(field) ?? {};
  // Code gives those without a flag.
  if (meta.flag !== false && !readsText(field)) {
    throw new Error(
      `Option "${key}" cannot work: flags and variables are texts. Use integerField(), z.coerce.number() or listField().`,
    );
  }
  const snake = key.replaceAll(/[A-Z]/g, (capital) => `_${capital}`);
  return {
    key,
    flag: meta.flag === false ? undefined : snake.replaceAll('_', '-').toLowerCase(),
    env: prefix === undefined ? undefined : (meta.env ?? `${prefix}_${snake.toUpperCase()}`),
    placeholder: innermost(field).type === 'boolean' ? undefined : (meta.placeholder ?? 'VALUE'),
    // Only the help shows it, and Zod compiles a schema with its first use.
    get default() {
      return unlessStartFails(() => z.safeParse(field, undefined).data ?? meta.defaultPath?.());
    },
    isList: meta.list ?? false,
    address: meta.address ?? ADDRESSES[meta.placeholder ?? ''],
    isSecret: meta.isSecret ?? false,
    changesListing: meta.changesListing ?? false,
    short: meta.short,
    defaultText: meta.defaultText,
    separator: meta.separator ?? ',',
    description: meta.description ?? '',
  };
}

/** What the field is made of: a parse would compile its schema, and `instanceof` knows only one copy of Zod. */
function innermost(field: z.core.$ZodType): z.core.$ZodTypes['_zod']['def'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each schema is one of Zod's
  const { def } = (field as z.core.$ZodTypes)._zod;
  if ('innerType' in def) return innermost(def.innerType);
  return def.type === 'pipe' ? innermost(def.in) : def;
}

const NOT_TEXT: ReadonlySet<string> = new Set(
  'number bigint date array tuple object record map set'.split(' '),
);

function readsText(field: z.core.$ZodType): boolean {
  const def = innermost(field);
  if (def.type === 'union') return def.options.some(readsText);
  if (def.type === 'literal') return def.values.some((value) => typeof value === 'string');
  return ('coerce' in def && def.coerce) || !NOT_TEXT.has(def.type);
}

/** @throws Error for a flag that two settings have, or that belongs to the help or the version */
function unambiguous(settings: readonly Setting[]): readonly Setting[] {
  const taken = new Set(['flag "help"', 'flag "version"', 'short flag "h"', 'short flag "v"']);
  for (const { key, flag, short } of settings) {
    for (const name of [flag && `flag "${flag}"`, short && `short flag "${short}"`]) {
      if (name === undefined) continue;
      if (taken.has(name)) {
        throw new Error(`Option "${key}" cannot work: another option has the ${name}. Give it another name.`);
      }
      taken.add(name);
    }
  }
  return settings;
}

/** An integer in decimal digits, as a flag, an environment value or a number in a file. */
export function integerField(
  min: number,
  max: number,
  error: string = `use an integer from ${min} to ${max}`,
) {
  const digits = z.string().regex(/^\d+$/).transform(Number);
  return z
    .union([digits, z.number()], { error })
    .pipe(z.int({ error }).min(min, { error }).max(max, { error }));
}

/** A TCP port; 0 takes a free port. */
export function portField(fallback: number) {
  return integerField(0, 65_535, 'use a port from 0 to 65535').default(fallback);
}

/** A bearer token that a client can send: one word of at least 16 characters that an HTTP header can carry. */
export function tokenField() {
  return z.string().regex(/^[!-~]{16,}$/, 'use at least 16 ASCII letters, digits or symbols, without spaces');
}

/** A choice; the error lists the choices. */
export function choiceField<const Choices extends readonly [string, ...string[]]>(choices: Choices) {
  return z.enum(choices, { error: `use one of ${choices.join(', ')}` });
}

/** Several values separated by commas, or by repeating the flag. */
export function listField() {
  return z
    .string()
    .default('')
    .transform((text): readonly string[] =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .meta({ list: true });
}

const portSetting = (fallback: number) =>
  portField(fallback).meta({
    placeholder: 'PORT',
    description: 'Port that HTTP listens on; 0 takes a free port.',
  });

/** Where HTTP listens, who may call, and the secrets for it. The default port is the aggregator's. */
export const listenFields = {
  host: z
    .string()
    .trim()
    .min(1, 'use an address such as 127.0.0.1')
    .default('127.0.0.1')
    .meta({ placeholder: 'ADDRESS', description: 'Address that HTTP listens on.' }),
  port: portSetting(DEFAULT_HTTP_PORT),
  stateless: z.boolean().default(false).meta({
    description: 'Serve the 2025 protocol era without sessions, for replicas behind a load balancer.',
  }),
  token: tokenField().optional().meta({
    flag: false,
    isSecret: true,
    placeholder: 'TOKEN',
    description: 'Bearer token for HTTP. Generated on first start and stored if not set.',
  }),
  secret: tokenField().optional().meta({
    flag: false,
    isSecret: true,
    placeholder: 'SECRET',
    description:
      'Encrypts session ids and the state of elicitations, so that they survive a restart and other replicas accept them. If it is not set: the secret file in the user data folder, else derived from DESKSIDE_TOKEN.',
  }),
  allowHost: listField().meta({
    placeholder: 'NAME',
    description:
      'Name under which clients reach the server, for example through a proxy: desk.example.com. Repeatable.',
  }),
  allowOrigin: listField().meta({
    placeholder: 'ORIGIN',
    description: 'Origin of a browser client: https://app.example.com. Repeatable.',
  }),
};

export const logFields = {
  logLevel: choiceField(LOG_LEVELS)
    .default('info')
    .meta({
      placeholder: 'LEVEL',
      description: `Log level on stderr: ${LOG_LEVELS.join(', ')}.`,
    }),
};

/**
 * The settings that every server has, besides its own.
 *
 * @param server the server's own options
 */
export function commonOptions({ httpPort = DEFAULT_HTTP_PORT }: { readonly httpPort?: number } = {}) {
  return defineOptions('DESKSIDE', {
    http: z.boolean().default(false).meta({ description: 'Serve Streamable HTTP instead of stdio.' }),
    ...listenFields,
    port: portSetting(httpPort),
    ...logFields,
  });
}
