import { TomlError, parse } from 'smol-toml';
import * as z from 'zod';
import { type Directive, parseVerbosity, TARGETS } from './filter.ts';
import { normalizeContext } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';
import type { QuietHours } from '@deskside/desktop';
import type { Settings } from '../sinks/define-sink.ts';
import { parsed, text } from '../sinks/fields.ts';
import { sinks } from '../sinks/index.ts';
import { type Rule, ruleSchema } from './rules.ts';

/** A validated configuration file. */
export interface Configuration {
  /** In the filter syntax. */
  readonly filter: string | undefined;
  /** From `[tracing]`. The directives of `filter` come after them. */
  readonly targets: readonly Directive[];
  readonly quietHours: QuietHours | undefined;
  readonly rules: readonly Rule[];
  /** Tables by kind of sink: exactly one of a local sink, any number of a service. */
  readonly sinks: Readonly<Record<string, readonly Settings[]>>;
}

export interface ParsedConfiguration {
  /** Undefined if the whole file is unusable. */
  readonly configuration: Configuration | undefined;
  /** One sentence per ignored setting. The other settings apply. */
  readonly problems: readonly string[];
}

const TIME = /^(?<hours>[01]?\d|2[0-3]):(?<minutes>[0-5]\d)$/;

/** Minutes after midnight, from `"22:00"`. */
const timeOfDay = parsed('use a time of day such as "22:00"', (value) => {
  const { hours, minutes } = TIME.exec(String(value))?.groups ?? {};
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
});

/** One entry of the contract's `[tracing] targets`. */
const tracingTarget = z.object({
  name: z.enum(TARGETS, { error: `use one of ${TARGETS.join(', ')}` }),
  level: parsed('use one of off, error, warn, info, debug, trace', (value) =>
    typeof value === 'string' || typeof value === 'number' ? parseVerbosity(String(value)) : undefined,
  ),
  context: text('use a context such as "safety"').transform(normalizeContext).optional(),
});

const tracingSection = z.object({
  /** Each entry is parsed separately. */
  targets: z.array(z.unknown(), { error: 'use a list of { name = "llm_notify", level = "info" }' }),
});

const quietSection = z.object({ from: timeOfDay, to: timeOfDay }).refine(({ from, to }) => from !== to, {
  path: ['to'],
  error: 'use a time different from "from"',
});

const KEYS = ['filter', 'tracing', 'quiet_hours', 'rule', ...sinks.map(({ kind }) => kind)];

const MAX_QUOTED_CODE_POINTS = 80;

/**
 * Parses the text of a `log-notify.toml`. An invalid setting is ignored; in a service it disables the service: without
 * that setting, more than the person wants could leave the machine, or leave it unsigned. A syntax error makes the whole
 * file unusable.
 */
export function parseConfiguration(source: string): ParsedConfiguration {
  let document: Readonly<Record<string, unknown>>;
  try {
    document = parse(source);
  } catch (error) {
    return { configuration: undefined, problems: [syntaxProblem(error)] };
  }
  const problems = Object.keys(document)
    .filter((key) => !KEYS.includes(key))
    .map((key) => `Unknown key ${quoted(key)}. Valid keys: ${KEYS.join(', ')}.`);
  return { configuration: configurationOf(document, problems), problems };
}

/** @param problems gets those of the settings */
function configurationOf(document: Readonly<Record<string, unknown>>, problems: string[]): Configuration {
  const section = <Schema extends z.ZodObject>(key: string, schema: Schema) =>
    document[key] === undefined ? undefined : parseTable(schema, document[key], key, problems, 'setting');
  const list = <Schema extends z.ZodObject>(kind: string, schema: Schema): z.output<Schema>[] => {
    const value = document[kind] ?? [];
    const tables: readonly unknown[] = Array.isArray(value) ? value : [value];
    return tables.flatMap((table, index) => {
      const parsedTable = parseTable(schema, table, `${kind} ${index + 1}`, problems, 'table');
      return parsedTable === undefined ? [] : [parsedTable];
    });
  };
  const { filter } = document;
  if (filter !== undefined && typeof filter !== 'string')
    problems.push('filter: use a string such as "info,[{context=analysis}]=off".');
  const tracing = section('tracing', tracingSection);
  const quietHours = section('quiet_hours', quietSection);
  const tables = sinks.map(({ kind, schema, local }) => [
    kind,
    local === undefined ? list(kind, schema) : [section(kind, schema) ?? schema.parse({})],
  ]);
  return {
    filter: typeof filter === 'string' ? filter : undefined,
    quietHours,
    targets: parseTargets(tracing?.targets ?? [], problems),
    rules: list('rule', ruleSchema),
    sinks: Object.fromEntries(tables),
  };
}

/** What applies without a file. */
export function emptyConfiguration(): Configuration {
  return configurationOf({}, []);
}

/**
 * Parses one table of the file and reports unknown and invalid settings, one sentence each.
 *
 * @param cost what an invalid setting disables: only itself, or the whole table
 * @returns undefined if the table is ignored, which is also reported
 */
function parseTable<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
  path: string,
  problems: string[],
  cost: 'setting' | 'table',
): z.output<Schema> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const example = /\d$/.test(path) ? '' : `, for example [${path}]`;
    problems.push(`${path} must be a table${example}.`);
    return undefined;
  }
  const known = Object.keys(schema.shape);
  for (const key of Object.keys(value).filter((key) => !known.includes(key))) {
    problems.push(`Unknown setting ${path}.${quoted(key)}. Valid settings: ${known.join(', ')}.`);
  }
  const first = schema.safeParse(value);
  if (first.success) return first.data;
  const invalid = new Set(first.error.issues.map((issue) => String(issue.path[0])));
  for (const issue of first.error.issues) {
    problems.push(`${path}.${quoted(issue.path.join('.'))}: ${issue.message}.`);
  }
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !invalid.has(key)));
  const second = cost === 'setting' ? schema.safeParse(rest) : first;
  if (!second.success) problems.push(`${path} is ignored.`);
  return second.success ? second.data : undefined;
}

/** The contract's form of a filter. An invalid entry is ignored. */
function parseTargets(entries: readonly unknown[], problems: string[]): Directive[] {
  return entries.flatMap((entry, index) => {
    const parsed = parseTable(tracingTarget, entry, `tracing.targets ${index + 1}`, problems, 'table');
    return parsed === undefined
      ? []
      : [{ target: parsed.name, context: parsed.context, verbosity: parsed.level }];
  });
}

function syntaxProblem(error: unknown): string {
  if (!(error instanceof TomlError)) throw error;
  const [sentence = ''] = error.message.split('\n');
  return `line ${error.line}, column ${error.column}: ${sentence}. The whole file is ignored.`;
}

function quoted(key: string): string {
  return escapeLine(key, MAX_QUOTED_CODE_POINTS);
}
