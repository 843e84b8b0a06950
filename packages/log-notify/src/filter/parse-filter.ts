import { contextOf } from '../message/contexts.ts';
import { neutralize } from '../message/neutralize.ts';
import { TARGET } from '../message/notification.ts';
import { type Directive, verbosityOf } from './directive.ts';

export interface ParsedFilter {
  readonly directives: readonly Directive[];
  /** One sentence for each directive that was skipped. */
  readonly problems: readonly string[];
}

/** Target, then `[{context=value}]`, then `=level`, each of them optional. */
const DIRECTIVE = /^(?<target>[^[\]{}=]*)(?<fields>\[[^\]]*\])?(?:=(?<level>[^[\]{}=]*))?$/;
const FIELDS = /^\[\{\s*context\s*(?:=\s*(?:"(?<quoted>[^"]*)"|(?<plain>[^"{}]*?)))?\s*\}\]$/;
export const TARGET_NAME = /^[\w.-]+(?:::[\w.-]+)*$/;

/**
 * Reads filters as tracing's EnvFilter writes them: `info,llm_notify::warn=off,[{context=analysis}]=off`.
 * A directive that can't be read is reported and skipped; the others hold.
 */
export function parseFilter(text: string): ParsedFilter {
  const parts = splitAtCommas(text).map((part) => part.trim());
  const read = parts.filter((part) => part !== '').map(parseDirective);
  return {
    directives: read.filter((directive) => typeof directive !== 'string'),
    problems: read.filter((problem) => typeof problem === 'string'),
  };
}

function parseDirective(text: string): Directive | string {
  const shown = `The filter directive "${neutralize(text, 200)}" is skipped`;
  const groups: Readonly<Record<string, string | undefined>> | undefined = DIRECTIVE.exec(text)?.groups;
  if (groups === undefined) return `${shown}: write target=level or [{context=name}]=level.`;
  const { target = '', fields, level } = groups;
  if (level === undefined && fields === undefined) {
    const everywhere = verbosityOf(target);
    if (everywhere !== undefined) return { target: '', context: undefined, verbosity: everywhere };
    // EnvFilter takes any word for a target; here it can only be a level misspelt.
    if (target.split('::')[0] !== TARGET) return `${shown}: it is neither a level nor a target of ${TARGET}.`;
  }
  if (target !== '' && !TARGET_NAME.test(target)) return `${shown}: its target is no name.`;
  const context = fields === undefined ? undefined : FIELDS.exec(fields)?.groups;
  if (fields !== undefined && context === undefined) {
    return `${shown}: a notification has one field to filter by, as in [{context=analysis}].`;
  }
  const verbosity = level === undefined ? 'trace' : verbosityOf(level.trim());
  if (verbosity === undefined) {
    return `${shown}: its level is none of off, error, warn, info, debug, trace.`;
  }
  return { target, context: contextNamed(context), verbosity };
}

function contextNamed(fields: Readonly<Record<string, string | undefined>> | undefined): string | undefined {
  const name = fields?.['quoted'] ?? fields?.['plain'];
  return name === undefined ? undefined : contextOf(name);
}

/** Commas within brackets and quotes separate nothing. */
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
