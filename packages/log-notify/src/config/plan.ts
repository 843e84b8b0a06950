import { createHash } from 'node:crypto';
import { type Directive, type ParsedFilter, parseFilter } from './filter.ts';
import {
  type ConfiguredSink,
  optionName,
  type Policy,
  type Settings,
  type SinkDefinition,
} from '../sinks/define-sink.ts';
import type { PolicySettings } from '../sinks/fields.ts';
import { type SinkOptions, sinks } from '../sinks/index.ts';
import type { Configuration } from './parse-config.ts';
import type { Rule } from './rules.ts';

/** Everything needed to open one sink. */
export interface SinkPlan extends ConfiguredSink {
  /** Identifies the target across restarts and changes of the policy. */
  readonly key: string;
  /** False for what a flag or an environment variable adds, which other servers may not have. */
  readonly isFromFile: boolean;
  /** The terminal or the file. */
  readonly isLog: boolean;
  readonly definition: SinkDefinition;
  readonly settings: Settings;
}

export interface Plan {
  readonly directives: readonly Directive[];
  readonly rules: readonly Rule[];
  readonly sinks: readonly SinkPlan[];
  readonly problems: readonly string[];
}

/** Values of flags and environment variables. They take precedence over the file, or add to it. */
export interface Overrides {
  readonly filter: string | undefined;
  /** Path of the JSON lines file. */
  readonly file: string | undefined;
  /** False: there is no such file. Default: true. */
  readonly history?: boolean | undefined;
  /** Services besides those of the file, by kind. */
  readonly services?: Configuration['sinks'];
  /** True if a file keeps what this process writes to stderr: people pass on a log, and the texts are private. */
  readonly isStderrLog?: boolean;
}

const unlimited: Policy = {
  level: 'info',
  contexts: [],
  excludeContexts: [],
  rate: undefined,
  foldMs: 0,
  digestMs: 0,
  quietHours: undefined,
};
const servicePolicy: Partial<Policy> = { rate: { burst: 5, perMinute: 10 }, foldMs: 60_000 };

/** Combines the configuration, the overrides and the defaults. */
export function buildPlan(configuration: Configuration, overrides: Overrides, defaultFile: string): Plan {
  const { quietHours, rules } = configuration;
  const planned = sinks.flatMap((definition) => {
    const { kind, local } = definition;
    if (kind === 'stderr' && overrides.isStderrLog === true) return [];
    if (kind === 'file' && overrides.history === false) return [];
    const quiet = local?.isLog === true ? {} : { quietHours };
    const defaults = { ...unlimited, ...(local?.policy ?? servicePolicy), ...quiet };
    const added = overrides.services?.[kind] ?? [];
    return [...added, ...(configuration.sinks[kind] ?? [])].flatMap((given, index) => {
      const name = sinkName(kind, given['name'], index);
      if (kind !== 'file') return planSink(name, defaults, definition, given, index >= added.length);
      const settings = { ...given, path: overrides.file ?? given['path'] ?? defaultFile };
      return planSink(name, defaults, definition, settings, overrides.file === undefined);
    });
  });
  const { directives, problems } = planFilter(configuration, overrides);
  const named = withUniqueNames(planned);
  return { directives, rules, sinks: named, problems: [...problems, ...rules.flatMap(unknownSinks(named))] };
}

function unknownSinks(planned: readonly SinkPlan[]): (rule: Rule, index: number) => string[] {
  const names = planned.filter(({ isLog }) => !isLog).map(({ name }) => name);
  return ({ to }, index) =>
    to
      .filter((name) => !names.includes(name))
      .map((name) => `rule ${index + 1}.to: ${name} is not a sink here. Use one of: ${names.join(', ')}.`);
}

/** @returns nothing for a disabled sink */
function planSink(
  name: string,
  defaults: Policy,
  definition: SinkDefinition,
  settings: Settings & PolicySettings,
  isFromFile: boolean,
): SinkPlan[] {
  if (settings.enabled === false) return [];
  const { local } = definition;
  const policy: Policy = {
    ...defaults,
    level: settings.level ?? defaults.level,
    // A level that a person has chosen is the only one.
    unseenLevel: settings.level === undefined ? defaults.unseenLevel : undefined,
    contexts: settings.contexts ?? [],
    excludeContexts: settings.exclude_contexts ?? [],
    rate: (settings.rate ?? defaults.rate) || undefined,
    foldMs: settings.fold ?? defaults.foldMs,
    digestMs: settings.digest ?? 0,
  };
  const kind = { isService: local === undefined, isLog: local?.isLog === true };
  return [{ name, key: keyOf(definition, settings), isFromFile, ...kind, policy, definition, settings }];
}

/** Where the target is, without how it is reached: a new token or header is the same target. */
function keyOf({ kind }: SinkDefinition, settings: Settings): string {
  const place = JSON.stringify(['url', 'path', 'topic', 'key', 'chat'].map((setting) => settings[setting]));
  return `${kind}-${createHash('sha256').update(place).digest('base64url').slice(0, 12)}`;
}

function sinkName(kind: string, name: unknown, index: number): string {
  if (typeof name === 'string') return `${kind} ${name}`;
  return index === 0 ? kind : `${kind} ${index + 1}`;
}

/** Adds a number to repeated names and keys: results name their sinks, and the database finds them by key. */
function withUniqueNames(sinks: readonly SinkPlan[]): SinkPlan[] {
  return sinks.map((sink, index) => {
    const before = sinks.slice(0, index);
    const sameName = before.filter(({ name }) => name === sink.name).length;
    const sameKey = before.filter(({ key }) => key === sink.key).length;
    return {
      ...sink,
      ...(sameName === 0 ? {} : { name: `${sink.name} (${sameName + 1})` }),
      ...(sameKey === 0 ? {} : { key: `${sink.key}-${sameKey + 1}` }),
    };
  });
}

function planFilter({ filter, targets }: Configuration, overrides: Overrides): ParsedFilter {
  if (overrides.filter !== undefined) return parseFilter(overrides.filter);
  const { directives, problems } = parseFilter(filter ?? '');
  return { directives: [...targets, ...directives], problems };
}

/** The services that environment variables configure. */
export function servicesFrom(options: SinkOptions): { services: Configuration['sinks']; problems: string[] } {
  const values: Settings = { ...options };
  const services: Record<string, readonly Settings[]> = {};
  const problems: string[] = [];
  for (const definition of sinks) {
    const { kind, variables } = definition;
    const given = Object.keys(variables).flatMap((setting) => {
      const value = values[optionName(kind, setting)];
      return value === undefined ? [] : [[setting, value] as const];
    });
    const [first] = given;
    if (first === undefined) continue;
    const settings: Settings = Object.fromEntries(given);
    const { schema } = definition;
    const missing = Object.keys(schema.shape).filter(
      (setting) => !(setting in settings) && !schema.shape[setting].safeParse(undefined).success,
    );
    if (missing.length === 0) services[kind] = [settings];
    else {
      const names = missing.map((setting) => variableName(kind, setting));
      problems.push(`${variableName(kind, first[0])} needs ${names.join(' and ')}.`);
    }
  }
  return { services, problems };
}

function variableName(kind: string, setting: string): string {
  return `LOG_NOTIFY_${kind}_${setting}`.toUpperCase();
}
