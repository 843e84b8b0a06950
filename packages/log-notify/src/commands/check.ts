import { defineCommand, defineOptions } from '@deskside/core/cli';
import { StartError } from '@deskside/core/errors';
import { readConfiguration } from '../config/config-file.ts';
import {
  type Overrides,
  type Plan,
  type Policy,
  type SinkPlan,
  type SinkTarget,
  buildPlan,
} from '../config/plan.ts';
import { emptyConfiguration } from '../config/schema.ts';
import { durationText } from '../delivery/summaries.ts';
import { rejectionReason } from '../delivery/throttle.ts';
import { type Directive, createFilter } from '../filter/filter.ts';
import { thisHost } from '../log-notify.ts';
import { defaultPaths } from '../options.ts';
import { DEFAULT_CONTEXT, KNOWN_CONTEXTS, LEVELS, type Level } from '../notification/notification.ts';
import { redact } from '../notification/safe-text.ts';
import { openSink } from '../sinks/open-sink.ts';
import { serverSettings } from './server-settings.ts';

export const check = defineCommand({
  options: defineOptions('LOG_NOTIFY', serverSettings),
  details:
    'The command reads the configuration as the server does. It sends nothing. The exit code is 1 if the configuration has problems.',
  examples: ['deskside-log-notify check', 'deskside-log-notify check --config ./log-notify.toml'],
  async run({ config, file, filter }, { print }) {
    const { path, plan, problems } = loadPlan(config, { filter, file });
    print(`Configuration: ${path}`);
    for (const problem of problems) print(`  problem: ${problem}`);
    if (problems.length === 0) print('  no problems');
    print('');
    print('Sinks:');
    const reasons = new Map(plan.sinks.map((sink) => [sink, unavailableReason(sink)]));
    for (const [sink, reason] of reasons) for (const line of describeSink(sink, reason)) print(`  ${line}`);
    print('');
    print('Sinks by level:');
    const working = plan.sinks.filter((sink) => reasons.get(sink) === undefined);
    for (const line of describeRoutes(plan.directives, working)) print(`  ${line}`);
    if (problems.length > 0) throw new StartError('The configuration has problems.');
  },
});

export interface LoadedPlan {
  /** Path of the configuration file. */
  readonly path: string;
  readonly plan: Plan;
  /** Problems of the file, the filter and the flags. */
  readonly problems: readonly string[];
}

/** Reads the configuration as the server does. */
export function loadPlan(config: string | undefined, overrides: Overrides): LoadedPlan {
  const defaults = defaultPaths();
  const path = config ?? defaults.config;
  const { configuration = emptyConfiguration, problems } = readConfiguration(path, config !== undefined);
  const plan = buildPlan(configuration, overrides, defaults.file);
  return { path, plan, problems: [...problems, ...plan.problems] };
}

/** @returns why the sink cannot work now */
export function unavailableReason({ target }: SinkPlan): string | undefined {
  return openSink(target, thisHost()).unavailable?.();
}

function describeSink({ name, target, policy }: SinkPlan, reason: string | undefined): string[] {
  const state = reason === undefined ? describeTarget(target) : `not available: ${reason}`;
  return [`${name}: ${state}`, `  ${describePolicy(policy).join('; ')}`];
}

/** One line per level with the sinks that get it, and one per context that differs. */
function describeRoutes(directives: readonly Directive[], sinks: readonly SinkPlan[]): string[] {
  const isWanted = createFilter(directives);
  const sinksFor = (level: Level, context: string) => {
    const names = sinks
      .filter(({ policy }) => rejectionReason(policy, { level, context }) === undefined)
      .map(({ name }) => name);
    return isWanted(level, context) && names.length > 0 ? names.join(', ') : 'none';
  };
  return LEVELS.flatMap((level) => {
    const usual = sinksFor(level, DEFAULT_CONTEXT);
    const different = KNOWN_CONTEXTS.filter((context) => sinksFor(level, context) !== usual);
    return [`${level.padEnd(5)} ${usual}`].concat(
      different.map((context) => `      context ${context}: ${sinksFor(level, context)}`),
    );
  });
}

/** Shows no secrets: the path of a webhook often is one. */
function describeTarget(target: SinkTarget): string {
  switch (target.kind) {
    case 'stderr':
      return "the server's standard error";
    case 'file':
      return `${target.path}, rotated at ${target.maxSize} bytes, at most ${target.keep} rotated files`;
    case 'desktop':
      return 'desktop notifications';
    case 'webhook':
      return `${originOf(target.url)}, ${target.secret === undefined ? 'not signed' : 'signed'}`;
    case 'apprise':
      return originOf(target.url);
    case 'ntfy':
      return `topic ${target.topic} at ${target.url === undefined ? 'ntfy.sh' : originOf(target.url)}`;
  }
}

function originOf(url: URL): string {
  return redact(url.origin);
}

function describePolicy(policy: Policy): string[] {
  const { level, contexts, excludeContexts, rate, foldMs, digestMs, quietHours } = policy;
  return [
    level === 'error' ? 'error only' : `${level} and above`,
    contexts.length === 0 ? [] : `only ${contexts.join(', ')}`,
    excludeContexts.length === 0 ? [] : `not ${excludeContexts.join(', ')}`,
    rate === undefined ? 'no rate limit' : `up to ${rate.burst} at once, then ${rate.perMinute} per minute`,
    foldMs === 0 ? [] : `repeats merged for ${durationText(foldMs)}`,
    digestMs === 0 ? [] : `one summary every ${durationText(digestMs)}, except errors`,
    quietHours === undefined
      ? []
      : `quiet from ${timeText(quietHours.from)} to ${timeText(quietHours.to)}, except errors`,
  ].flat();
}

function timeText(minutesAfterMidnight: number): string {
  const hours = Math.floor(minutesAfterMidnight / 60);
  return `${String(hours).padStart(2, '0')}:${String(minutesAfterMidnight % 60).padStart(2, '0')}`;
}
