import type { Policy } from '../delivery/policy.ts';
import type { Rate } from '../delivery/token-bucket.ts';
import type { Directive } from '../filter/directive.ts';
import { type ParsedFilter, parseFilter } from '../filter/parse-filter.ts';
import type { Configuration, LaneSettings } from './schema.ts';

/** One sink as the configuration wants it: enough to open it, and to tell whether it is still the same. */
export interface SinkPlan {
  readonly name: string;
  readonly policy: Policy;
  readonly target: SinkTarget;
}

export type SinkTarget =
  | { readonly kind: 'stderr' }
  | { readonly kind: 'file'; readonly path: string; readonly maxSize: number; readonly keep: number }
  | { readonly kind: 'desktop' }
  | ({ readonly kind: 'webhook' } & Configuration['webhook'][number])
  | ({ readonly kind: 'apprise' } & Configuration['apprise'][number])
  | ({ readonly kind: 'ntfy' } & Configuration['ntfy'][number]);

export interface Plan {
  readonly directives: readonly Directive[];
  readonly sinks: readonly SinkPlan[];
  readonly problems: readonly string[];
}

/** What flags and the environment say, which beats the file. */
export interface Overrides {
  readonly filter: string | undefined;
  /** Path of the JSON lines file. */
  readonly file: string | undefined;
}

const MEGABYTE = 1_000_000;

const everything: Policy = {
  level: 'info',
  contexts: [],
  excludeContexts: [],
  rate: undefined,
  fold: 0,
  digest: 0,
  quietHours: undefined,
  queue: 1000,
};
const stream: Policy = { ...everything, rate: { burst: 20, perMinute: 120 }, fold: 60_000 };
const desktop: Policy = { ...everything, level: 'warn', rate: { burst: 3, perMinute: 12 }, fold: 60_000 };
const network: Policy = { ...everything, rate: { burst: 5, perMinute: 10 }, fold: 60_000 };

/** Puts the configuration and what beats it together into what is to be done. */
export function planOf(configuration: Configuration, overrides: Overrides, defaultFile: string): Plan {
  const { quiet_hours: quietHours, file = {} } = configuration;
  const loud = (defaults: Policy): Policy => ({ ...defaults, quietHours });
  const sinks: readonly (SinkPlan | undefined)[] = [
    plan('stderr', stream, configuration.stderr, { kind: 'stderr' }),
    plan('file', everything, file, {
      kind: 'file',
      path: overrides.file ?? file.path ?? defaultFile,
      maxSize: file.max_size ?? 10 * MEGABYTE,
      keep: file.keep ?? 5,
    }),
    plan('desktop', loud(desktop), configuration.desktop, { kind: 'desktop' }),
    ...configuration.webhook.map((each, index) =>
      plan(nameOf('webhook', each.name, index), loud(network), each, { kind: 'webhook', ...each }),
    ),
    ...configuration.apprise.map((each, index) =>
      plan(nameOf('apprise', each.name, index), loud(network), each, { kind: 'apprise', ...each }),
    ),
    ...configuration.ntfy.map((each, index) =>
      plan(nameOf('ntfy', each.name, index), loud(network), each, { kind: 'ntfy', ...each }),
    ),
  ];
  const { directives, problems } = filterIn(configuration, overrides);
  return { directives, problems, sinks: unique(sinks.filter((sink) => sink !== undefined)) };
}

function plan(
  name: string,
  defaults: Policy,
  settings: LaneSettings = {},
  target: SinkTarget,
): SinkPlan | undefined {
  if (settings.enabled === false) return undefined;
  const policy: Policy = {
    ...defaults,
    level: settings.level ?? defaults.level,
    contexts: settings.contexts ?? [],
    excludeContexts: settings.exclude_contexts ?? [],
    rate: settings.rate === undefined ? defaults.rate : rateOf(settings.rate),
    fold: settings.fold ?? defaults.fold,
    digest: settings.digest ?? 0,
  };
  return { name, policy, target };
}

function rateOf(rate: NonNullable<LaneSettings['rate']>): Rate | undefined {
  return rate === false ? undefined : { burst: rate.burst, perMinute: rate.per_minute };
}

function nameOf(kind: string, name: string | undefined, index: number): string {
  if (name !== undefined) return `${kind} ${name}`;
  return index === 0 ? kind : `${kind} ${index + 1}`;
}

/** Two of one name are told apart by a number: results name their sinks. */
function unique(sinks: readonly SinkPlan[]): SinkPlan[] {
  return sinks.map((sink, index) => {
    const before = sinks.slice(0, index).filter(({ name }) => name === sink.name).length;
    return before === 0 ? sink : { ...sink, name: `${sink.name} (${before + 1})` };
  });
}

function filterIn({ filter, targets }: Configuration, overrides: Overrides): ParsedFilter {
  if (overrides.filter !== undefined) return parseFilter(overrides.filter);
  const { directives, problems } = parseFilter(filter ?? '');
  return { directives: [...targets, ...directives], problems };
}
