import { type Level, LEVELS, TARGET, normalizeContext } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';

/** Returns whether a notification of this level and context passes. */
export type Filter = (level: Level, context: string) => boolean;

/** Minimum severity that passes, by rank; `debug` and `trace` pass everything, as `info` does. */
const VERBOSITIES = ['off', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type Verbosity = (typeof VERBOSITIES)[number];

/** One rule of a filter. */
export interface Directive {
  /** `llm_notify::warn`; empty matches every target. */
  readonly target: string;
  /** Undefined matches every context. */
  readonly context: string | undefined;
  readonly verbosity: Verbosity;
}

export interface ParsedFilter {
  readonly directives: readonly Directive[];
  /** One sentence per ignored directive. */
  readonly problems: readonly string[];
}

/** Applies if no directive matches: everything passes. */
const DEFAULT_DIRECTIVE: Directive = { target: '', context: undefined, verbosity: 'trace' };

/** Target, then `[{context=value}]`, then `=level`; each part is optional. */
const DIRECTIVE = /^(?<target>[^[\]{}=]*)(?<fields>\[[^\]]*\])?(?:=(?<level>[^[\]{}=]*))?$/;
const FIELDS = /^\[\{\s*context\s*(?:=\s*(?:"(?<quoted>[^"]*)"|(?<plain>[^"{}]*?)))?\s*\}\]$/;

/** All targets that exist. Another one, or another case, would never match. */
export const TARGETS: readonly string[] = [TARGET, ...LEVELS.map((level) => `${TARGET}::${level}`)];

const MAX_QUOTED_CODE_POINTS = 200;

/**
 * The most specific directive decides: first the one that names the context, then the longest target, then the last
 * one. In EnvFilter the target comes first, and then `llm_notify=info` would decide for every notification: all have that
 * target.
 */
export function createFilter(directives: readonly Directive[]): Filter {
  // The sort is stable.
  const ranked = directives.toReversed().toSorted(compareSpecificity);
  return (level, context) => {
    const target = `${TARGET}::${level}`;
    const { verbosity } =
      ranked.find((directive) => matches(directive, target, context)) ?? DEFAULT_DIRECTIVE;
    return VERBOSITIES.indexOf(verbosity) >= VERBOSITIES.indexOf(level);
  };
}

function compareSpecificity(a: Directive, b: Directive): number {
  const fields = Number(b.context !== undefined) - Number(a.context !== undefined);
  return fields || b.target.length - a.target.length;
}

/** Targets match on whole segments: `llm_notify` does not match `llm_notifyx`. */
function matches(directive: Directive, target: string, context: string): boolean {
  if (directive.context !== undefined && directive.context !== context) return false;
  return directive.target === '' || target === directive.target || target.startsWith(`${directive.target}::`);
}

/**
 * Parses a filter in the syntax of tracing's EnvFilter: `info,llm_notify::warn=off,[{context=analysis}]=off`.
 * Ignores and reports each directive that is not valid.
 */
export function parseFilter(text: string): ParsedFilter {
  const parts = splitAtCommas(text).map((part) => part.trim());
  const parsed = parts.filter((part) => part !== '').map(parseDirective);
  return {
    directives: parsed.filter((directive) => typeof directive !== 'string'),
    problems: parsed.filter((problem) => typeof problem === 'string'),
  };
}

/** @returns a sentence if the directive is not valid */
function parseDirective(text: string): Directive | string {
  const invalid = `Invalid filter directive "${escapeLine(text, MAX_QUOTED_CODE_POINTS)}"`;
  const groups: Readonly<Record<string, string | undefined>> | undefined = DIRECTIVE.exec(text)?.groups;
  if (groups === undefined) return `${invalid}: write target=level or [{context=name}]=level.`;
  const { target = '', fields, level } = groups;
  if (level === undefined && fields === undefined) {
    const everywhere = parseVerbosity(target);
    if (everywhere !== undefined) return { target: '', context: undefined, verbosity: everywhere };
    // EnvFilter accepts any word as a target. Here only one root exists, so another word is a misspelled level.
    if (target.split('::')[0] !== TARGET) return `${invalid}: it is not a level and not a ${TARGET} target.`;
  }
  if (target !== '' && !TARGETS.includes(target)) {
    return `${invalid}: the target must be one of ${TARGETS.join(', ')}.`;
  }
  const context = fields === undefined ? undefined : FIELDS.exec(fields)?.groups;
  if (fields !== undefined && context === undefined) {
    return `${invalid}: the only field is context, for example [{context=analysis}].`;
  }
  const verbosity = level === undefined ? 'trace' : parseVerbosity(level.trim());
  if (verbosity === undefined) {
    return `${invalid}: the level must be one of off, error, warn, info, debug, trace.`;
  }
  const name = context?.['quoted'] ?? context?.['plain'];
  return { target, context: name === undefined ? undefined : normalizeContext(name), verbosity };
}

/** @returns undefined if the word is not a verbosity; ignores case, and accepts the numbers of EnvFilter */
export function parseVerbosity(word: string): Verbosity | undefined {
  const name = word.toLowerCase();
  if (name === 'warning') return 'warn';
  return VERBOSITIES.find((each, rank) => each === name || String(rank) === name);
}

/** Ignores commas inside brackets and quotes. */
function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let [start, depth, quoted] = [0, 0, false];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') quoted = !quoted && depth > 0;
    else if (!quoted && (character === '[' || character === '{')) depth += 1;
    else if (!quoted && character === ']') depth = 0;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}
