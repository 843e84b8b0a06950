import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import type { Directive } from '../filter/directive.ts';
import { neutralize } from '../message/neutralize.ts';
import { readTable } from './read-table.ts';
import { type Configuration, sections, services, tracingTarget } from './schema.ts';

export interface ParsedConfiguration {
  /** Undefined where nothing of the text can be used. */
  readonly configuration: Configuration | undefined;
  /** One sentence for each setting that was not understood; the others hold. */
  readonly problems: readonly string[];
}

const KNOWN = ['filter', ...Object.keys(sections), ...Object.keys(services)];

/**
 * Reads the text of a `log-notify.toml`. A setting that is wrong costs that setting, in a service the service; broken
 * syntax costs the whole.
 */
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
    document[key] === undefined ? undefined : readTable(schema, document[key], key, problems, 'setting');
  const service = <Schema extends z.ZodObject>(key: string, schema: Schema): z.output<Schema>[] => {
    const value = document[key] ?? [];
    const tables: readonly unknown[] = Array.isArray(value) ? value : [value];
    return tables.flatMap((table, index) => {
      const read = readTable(schema, table, `${key} ${index + 1}`, problems, 'table');
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
    ...(quiet_hours === undefined ? {} : { quiet_hours }),
    ...(stderr === undefined ? {} : { stderr }),
    ...(file === undefined ? {} : { file }),
    ...(desktop === undefined ? {} : { desktop }),
    targets: targetsIn(tracing?.targets ?? [], problems),
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

/** The contract's way to write a filter. One entry that is wrong costs that entry. */
function targetsIn(entries: readonly unknown[], problems: string[]): Directive[] {
  return entries.flatMap((entry, index) => {
    const read = readTable(tracingTarget, entry, `tracing.targets ${index + 1}`, problems, 'table');
    return read === undefined ? [] : [{ target: read.name, context: read.context, verbosity: read.level }];
  });
}

function syntaxProblem(error: unknown): string {
  if (!(error instanceof TomlError)) throw error;
  const [sentence = ''] = error.message.split('\n');
  return `line ${error.line}, column ${error.column}: ${sentence}. Nothing of the file holds.`;
}
