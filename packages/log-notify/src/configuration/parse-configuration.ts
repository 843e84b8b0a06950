import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { neutralize } from '../message/neutralize.ts';
import { type Configuration, sections, services } from './schema.ts';

export interface ParsedConfiguration {
  /** Undefined where nothing of the text can be used. */
  readonly configuration: Configuration | undefined;
  /** One sentence for each setting that was not understood; the others hold. */
  readonly problems: readonly string[];
}

const KNOWN = ['filter', ...Object.keys(sections), ...Object.keys(services)];

/** Reads the text of a `log-notify.toml`. A setting that is wrong costs that setting, broken syntax the whole. */
export function parseConfiguration(text: string): ParsedConfiguration {
  let document: Readonly<Record<string, unknown>>;
  try {
    document = parse(text);
  } catch (error) {
    return { configuration: undefined, problems: [syntaxProblem(error)] };
  }
  const problems = Object.keys(document)
    .filter((key) => !KNOWN.includes(key))
    .map((key) => `${neutralize(key, 80)} is unknown; there are ${KNOWN.join(', ')}.`);
  const section = <Schema extends z.ZodObject>(key: string, schema: Schema) =>
    document[key] === undefined ? undefined : readTable(schema, document[key], key, problems);
  const service = <Schema extends z.ZodObject>(key: string, schema: Schema): z.output<Schema>[] => {
    const value = document[key] ?? [];
    const tables: readonly unknown[] = Array.isArray(value) ? value : [value];
    return tables.flatMap((table, index) => {
      const read = readTable(schema, table, `${key} ${index + 1}`, problems);
      return read === undefined ? [] : [read];
    });
  };
  const read = {
    filter: filterIn(document, problems),
    tracing: section('tracing', sections.tracing),
    quiet_hours: section('quiet_hours', sections.quiet_hours),
    stderr: section('stderr', sections.stderr),
    file: section('file', sections.file),
    desktop: section('desktop', sections.desktop),
  };
  const { filter, tracing, quiet_hours, stderr, file, desktop } = read;
  const configuration: Configuration = {
    ...(filter === undefined ? {} : { filter }),
    ...(tracing === undefined ? {} : { tracing }),
    ...(quiet_hours === undefined ? {} : { quiet_hours }),
    ...(stderr === undefined ? {} : { stderr }),
    ...(file === undefined ? {} : { file }),
    ...(desktop === undefined ? {} : { desktop }),
    webhook: service('webhook', services.webhook),
    apprise: service('apprise', services.apprise),
    ntfy: service('ntfy', services.ntfy),
  };
  return { configuration, problems };
}

function filterIn({ filter }: Readonly<Record<string, unknown>>, problems: string[]): string | undefined {
  if (filter === undefined || typeof filter === 'string') return filter;
  problems.push('filter: use a text such as "info,[{context=analysis}]=off".');
  return undefined;
}

/** Keys that are unknown or wrong are reported and left out; undefined where one that is needed is left out. */
function readTable<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
  path: string,
  problems: string[],
): z.output<Schema> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.push(`${path} must be a table, as in [${path.split(' ')[0]}].`);
    return undefined;
  }
  const known = Object.keys(schema.shape);
  for (const key of Object.keys(value).filter((key) => !known.includes(key))) {
    problems.push(`${path}.${neutralize(key, 80)} is unknown; there are ${known.join(', ')}.`);
  }
  const first = schema.safeParse(value);
  if (first.success) return first.data;
  const wrong = new Set(first.error.issues.map((issue) => String(issue.path[0])));
  problems.push(...first.error.issues.map((issue) => `${path}.${issue.path.join('.')}: ${issue.message}.`));
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !wrong.has(key)));
  const second = schema.safeParse(rest);
  if (!second.success) problems.push(`${path} is left out.`);
  return second.success ? second.data : undefined;
}

function syntaxProblem(error: unknown): string {
  if (!(error instanceof TomlError)) throw error;
  const [sentence = ''] = error.message.split('\n');
  return `line ${error.line}, column ${error.column}: ${sentence}. Nothing of the file holds.`;
}
