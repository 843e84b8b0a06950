import { createHash } from 'node:crypto';
import { type Directive, type ParsedFilter, parseFilter } from '../filter/filter.ts';
import type { Level } from '../notification/notification.ts';
import { type Configuration, type ServiceKind, type SinkSettings, sinkSettings } from './schema.ts';

/** Everything needed to open one sink. */
export interface SinkPlan {
  readonly name: string;
  /** Identifies the target across restarts and changes of the policy. */
  readonly key: string;
  /** False for what a flag or an environment variable adds, which other servers may not have. */
  readonly isFromFile: boolean;
  readonly policy: Policy;
  readonly target: SinkTarget;
}

type Service<Kind extends ServiceKind> = { readonly kind: Kind } & Configuration[Kind][number];

export type SinkTarget =
  | { readonly kind: 'stderr' }
  | { readonly kind: 'file'; readonly path: string; readonly maxSize: number; readonly keep: number }
  | { readonly kind: 'desktop' }
  | { readonly [Kind in ServiceKind]: Service<Kind> }[ServiceKind];

/** Which notifications one sink gets, and how often. */
export interface Policy {
  /** Minimum level. */
  readonly level: Level;
  /** Empty means all. */
  readonly contexts: readonly string[];
  readonly excludeContexts: readonly string[];
  /** Undefined means no limit. Errors have a second bucket of the same size. */
  readonly rate: Rate | undefined;
  /** How long repeats are merged; 0 disables it. */
  readonly foldMs: number;
  /** How long everything except errors is collected into one summary; 0 disables it. */
  readonly digestMs: number;
  /** Everything except errors waits for their end. */
  readonly quietHours: QuietHours | undefined;
  /** Maximum number of notifications in the queue. */
  readonly queueLength: number;
}

/** A token bucket. */
export interface Rate {
  /** How many may pass at once. */
  readonly burst: number;
  /** How many tokens are added per minute. */
  readonly perMinute: number;
}

/** A part of every day, in minutes after local midnight; it may span midnight. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

export interface Plan {
  readonly directives: readonly Directive[];
  readonly sinks: readonly SinkPlan[];
  readonly problems: readonly string[];
}

/** Values of flags and environment variables. They take precedence over the file, or add to it. */
export interface Overrides {
  readonly filter: string | undefined;
  /** Path of the JSON lines file. */
  readonly file: string | undefined;
  /** Services besides those of the file. */
  readonly services?: Partial<Pick<Configuration, ServiceKind>>;
}

const DEFAULT_MAX_FILE_BYTES = 10_000_000;
const DEFAULT_ROTATED_FILES = 5;

const unlimited: Policy = {
  level: 'info',
  contexts: [],
  excludeContexts: [],
  rate: undefined,
  foldMs: 0,
  digestMs: 0,
  quietHours: undefined,
  queueLength: 1000,
};
const stderrDefaults: Policy = { ...unlimited, rate: { burst: 20, perMinute: 120 }, foldMs: 60_000 };
const desktopDefaults: Policy = {
  ...unlimited,
  level: 'warn',
  rate: { burst: 3, perMinute: 12 },
  foldMs: 60_000,
};
const serviceDefaults: Policy = { ...unlimited, rate: { burst: 5, perMinute: 10 }, foldMs: 60_000 };

/** Combines the configuration, the overrides and the defaults. */
export function buildPlan(configuration: Configuration, overrides: Overrides, defaultFile: string): Plan {
  const { quiet_hours: quietHours, stderr, file = {}, desktop } = configuration;
  const servicePolicy: Policy = { ...serviceDefaults, quietHours };
  const servicesOf = <Kind extends ServiceKind>(
    kind: Kind,
    targetOf: (settings: Configuration[Kind][number]) => SinkTarget,
  ) => {
    const added: readonly Configuration[Kind][number][] = overrides.services?.[kind] ?? [];
    return [...added, ...configuration[kind]].map((settings, index) => {
      const name = serviceName(kind, settings.name, index);
      return planSink(name, servicePolicy, settings, targetOf(settings), index >= added.length);
    });
  };
  const sinks: readonly (SinkPlan | undefined)[] = [
    planSink('stderr', stderrDefaults, stderr, { kind: 'stderr' }),
    planSink(
      'file',
      unlimited,
      file,
      {
        kind: 'file',
        path: overrides.file ?? file.path ?? defaultFile,
        maxSize: file.max_size ?? DEFAULT_MAX_FILE_BYTES,
        keep: file.keep ?? DEFAULT_ROTATED_FILES,
      },
      overrides.file === undefined,
    ),
    planSink('desktop', { ...desktopDefaults, quietHours }, desktop, { kind: 'desktop' }),
    ...servicesOf('webhook', (each) => ({ kind: 'webhook', ...each })),
    ...servicesOf('apprise', (each) => ({ kind: 'apprise', ...each })),
    ...servicesOf('ntfy', (each) => ({ kind: 'ntfy', ...each })),
    ...servicesOf('slack', (each) => ({ kind: 'slack', ...each })),
    ...servicesOf('discord', (each) => ({ kind: 'discord', ...each })),
    ...servicesOf('telegram', (each) => ({ kind: 'telegram', ...each })),
  ];
  const { directives, problems } = planFilter(configuration, overrides);
  return { directives, problems, sinks: withUniqueNames(sinks.filter((sink) => sink !== undefined)) };
}

function planSink(
  name: string,
  defaults: Policy,
  settings: SinkSettings = {},
  target: SinkTarget,
  isFromFile = true,
): SinkPlan | undefined {
  if (settings.enabled === false) return undefined;
  const policy: Policy = {
    ...defaults,
    level: settings.level ?? defaults.level,
    contexts: settings.contexts ?? [],
    excludeContexts: settings.exclude_contexts ?? [],
    rate: settings.rate === undefined ? defaults.rate : toRate(settings.rate),
    foldMs: settings.fold ?? defaults.foldMs,
    digestMs: settings.digest ?? 0,
  };
  return { name, key: keyOf(target), isFromFile, policy, target };
}

/** Where the target is, without how it is reached: a new token or header is the same target. */
function keyOf(target: SinkTarget): string {
  const { url, path, topic, key, chat }: Readonly<Record<string, unknown>> = { ...target };
  const place = JSON.stringify([url, path, topic, key, chat]);
  return `${target.kind}-${createHash('sha256').update(place).digest('base64url').slice(0, 12)}`;
}

/** True if both are reached in the same way. Their policies may differ. */
export function isSameTarget(first: SinkTarget, second: SinkTarget): boolean {
  const text = (target: SinkTarget) =>
    JSON.stringify(target, (name, value: unknown) => (Object.hasOwn(sinkSettings, name) ? undefined : value));
  return text(first) === text(second);
}

function toRate(rate: NonNullable<SinkSettings['rate']>): Rate | undefined {
  return rate === false ? undefined : { burst: rate.burst, perMinute: rate.per_minute };
}

function serviceName(kind: string, name: string | undefined, index: number): string {
  if (name !== undefined) return `${kind} ${name}`;
  return index === 0 ? kind : `${kind} ${index + 1}`;
}

/** Adds a number to repeated names and keys: results name their sinks, and the spool finds them by key. */
function withUniqueNames(sinks: readonly SinkPlan[]): SinkPlan[] {
  return sinks.map((sink, index) => {
    const before = sinks.slice(0, index);
    const [sameName, sameKey] = [
      before.filter(({ name }) => name === sink.name).length,
      before.filter(({ key }) => key === sink.key).length,
    ];
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
