import { TomlError, parse } from 'smol-toml';
import type { z } from 'zod';
import type { Directive } from '../filter/filter.ts';
import { escapeLine } from '../notification/safe-text.ts';
import { type Configuration, sections, services, tracingTarget } from './schema.ts';

export interface ParsedConfiguration {
  /** Undefined if the whole file is unusable. */
  readonly configuration: Configuration | undefined;
  /** One sentence per ignored setting. The other settings apply. */
  readonly problems: readonly string[];
}

const KEYS = ['filter', ...Object.keys(sections), ...Object.keys(services)];

const MAX_QUOTED_CODE_POINTS = 80;

/**
 * Parses the text of a `log-notify.toml`. An invalid setting is ignored; in a service it disables the service. A
 * syntax error makes the whole file unusable.
 */
export function parseConfiguration(text: string): ParsedConfiguration {
  let document: Readonly<Record<string, unknown>>;
  try {
    document = parse(text);
  } catch (error) {
    return { configuration: undefined, problems: [syntaxProblem(error)] };
  }
  const problems = Object.keys(document)
    .filter((key) => !KEYS.includes(key))
    .map((key) => `Unknown key ${quoted(key)}. Valid keys: ${KEYS.join(', ')}.`);
  const section = <Schema extends z.ZodObject>(key: string, schema: Schema) =>
    document[key] === undefined ? undefined : parseTable(schema, document[key], key, problems, 'setting');
  const service = <Schema extends z.ZodObject>(key: string, schema: Schema): z.output<Schema>[] => {
    const value = document[key] ?? [];
    const tables: readonly unknown[] = Array.isArray(value) ? value : [value];
    return tables.flatMap((table, index) => {
      const parsed = parseTable(schema, table, `${key} ${index + 1}`, problems, 'table');
      return parsed === undefined ? [] : [parsed];
    });
  };
  const filter = parseFilterSetting(document, problems);
  const tracing = section('tracing', sections.tracing);
  const quiet_hours = section('quiet_hours', sections.quiet_hours);
  const stderr = section('stderr', sections.stderr);
  const file = section('file', sections.file);
  const desktop = section('desktop', sections.desktop);
  const configuration: Configuration = {
    ...(filter === undefined ? {} : { filter }),
    ...(quiet_hours === undefined ? {} : { quiet_hours }),
    ...(stderr === undefined ? {} : { stderr }),
    ...(file === undefined ? {} : { file }),
    ...(desktop === undefined ? {} : { desktop }),
    targets: parseTargets(tracing?.targets ?? [], problems),
    webhook: service('webhook', services.webhook),
    apprise: service('apprise', services.apprise),
    ntfy: service('ntfy', services.ntfy),
    slack: service('slack', services.slack),
    discord: service('discord', services.discord),
    telegram: service('telegram', services.telegram),
  };
  return { configuration, problems };
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

function parseFilterSetting(
  { filter }: Readonly<Record<string, unknown>>,
  problems: string[],
): string | undefined {
  if (filter === undefined || typeof filter === 'string') return filter;
  problems.push('filter: use a string such as "info,[{context=analysis}]=off".');
  return undefined;
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
