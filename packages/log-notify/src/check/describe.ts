import type { SinkPlan, SinkTarget } from '../configuration/plan.ts';
import { durationText } from '../delivery/duration-text.ts';
import { unwanted } from '../delivery/gate.ts';
import type { Policy } from '../delivery/policy.ts';
import type { Directive } from '../filter/directive.ts';
import { filterOf } from '../filter/filter.ts';
import { DEFAULT_CONTEXT, KNOWN_CONTEXTS } from '../message/contexts.ts';
import { type Level, LEVELS } from '../message/levels.ts';
import { redact } from '../message/redact.ts';

/** @param trouble why it can't work now */
export function describeSink({ name, target, policy }: SinkPlan, trouble: string | undefined): string[] {
  const state = trouble === undefined ? placeOf(target) : `does nothing now: ${trouble}`;
  return [`${name}: ${state}`, `  ${rulesOf(policy).join('; ')}`];
}

/**
 * A line for each level: the sinks that such a notification would go to, and the contexts that differ.
 *
 * @param sinks those that work
 */
export function describeExamples(directives: readonly Directive[], sinks: readonly SinkPlan[]): string[] {
  const isWanted = filterOf(directives);
  const takers = (level: Level, context: string) =>
    isWanted(level, context)
      ? sinks.filter((sink) => takes(sink, level, context)).map(({ name }) => name)
      : [];
  return LEVELS.flatMap((level) => {
    const usual = namesOf(takers(level, DEFAULT_CONTEXT));
    const others = KNOWN_CONTEXTS.map((context) => [context, namesOf(takers(level, context))] as const);
    const different = others.filter(([, names]) => names !== usual);
    return [`${level.padEnd(5)} ${usual}`].concat(
      different.map(([context, names]) => `      in ${context}: ${names}`),
    );
  });
}

function takes({ policy }: SinkPlan, level: Level, context: string): boolean {
  return unwanted(policy, { level, context }) === undefined;
}

function namesOf(names: readonly string[]): string {
  return names.length === 0 ? 'nowhere' : names.join(', ');
}

function placeOf(target: SinkTarget): string {
  switch (target.kind) {
    case 'stderr':
      return "the server's error output";
    case 'file':
      return `${target.path}, rotated at ${target.maxSize} bytes, ${target.keep} old files kept`;
    case 'desktop':
      return 'notifications of the desktop';
    case 'webhook':
      return `${addressOf(target.url)}, ${target.secret === undefined ? 'not signed' : 'signed'}`;
    case 'apprise':
      return addressOf(target.url);
    case 'ntfy':
      return `topic ${target.topic} at ${target.url === undefined ? 'ntfy.sh' : addressOf(target.url)}`;
  }
}

/** Paths of webhooks are often secrets. */
function addressOf(url: URL): string {
  return redact(url.origin);
}

function rulesOf({ level, contexts, excludeContexts, rate, fold, digest, quietHours }: Policy): string[] {
  return [
    level === 'error' ? 'error alone' : `${level} and graver`,
    contexts.length === 0 ? [] : `only ${contexts.join(', ')}`,
    excludeContexts.length === 0 ? [] : `without ${excludeContexts.join(', ')}`,
    rate === undefined ? 'no limit' : `${rate.burst} at once, then ${rate.perMinute} a minute`,
    fold === 0 ? [] : `repeats folded for ${durationText(fold)}`,
    digest === 0 ? [] : `all but errors in one summary every ${durationText(digest)}`,
    quietHours === undefined ? [] : `quiet from ${timeOf(quietHours.from)} to ${timeOf(quietHours.to)}`,
  ].flat();
}

function timeOf(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return `${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}
