import type { Level } from '../message/levels.ts';
import { TARGET } from '../message/notification.ts';
import { type Directive, lets } from './directive.ts';

/** Tells whether notifications of a level and context are wanted. */
export type Filter = (level: Level, context: string) => boolean;

/** What holds where no directive says anything: all of it is wanted. */
const DEFAULT: Directive = { target: '', context: undefined, verbosity: 'trace' };

/**
 * The most specific directive decides: one that names the context before one that does not, then the longest
 * target, then the later one.
 */
export function filterOf(directives: readonly Directive[]): Filter {
  const ranked = directives
    .map((directive, index) => ({ directive, index }))
    .toSorted((a, b) => moreSpecific(a.directive, b.directive) || b.index - a.index)
    .map(({ directive }) => directive);
  return (level, context) => {
    const target = `${TARGET}::${level}`;
    const decisive = ranked.find((directive) => isAbout(directive, target, context)) ?? DEFAULT;
    return lets(decisive.verbosity, level);
  };
}

function moreSpecific(a: Directive, b: Directive): number {
  const fields = Number(b.context !== undefined) - Number(a.context !== undefined);
  return fields || b.target.length - a.target.length;
}

/** Targets match on whole segments: `llm_notify` is no part of `llm_notifyx`. */
function isAbout(directive: Directive, target: string, context: string): boolean {
  if (directive.context !== undefined && directive.context !== context) return false;
  return directive.target === '' || target === directive.target || target.startsWith(`${directive.target}::`);
}
