import * as secretlint from '@secretlint/secretlint-rule-preset-recommend';
import { isObject } from '@deskside/core/base';
import { REDACTED } from '@deskside/desktop';

/** With it, a text could switch the other rules off. */
const COMMENTS = '@secretlint/secretlint-rule-filter-comments';

type Range = readonly [start: number, end: number];

/** What is used of a rule. The types of the package are in another one, which users would have to install. */
interface Rule {
  readonly meta: { readonly id: string };
  create(context: object, options: object): { file?(source: object): unknown };
}

/** Where the rules have found something in the present text. */
let found: Range[] = [];

const context = {
  createTranslator: () => (messageId: string) => ({ message: messageId, messageId }),
  report: ({ range: [start, end] }: { readonly range: Range }) => void found.push([start, end]),
};

/** The rules of secretlint for tokens of services. This module is loaded with the first message that leaves the machine. */
const scanners = rulesOf(secretlint)
  .filter(({ meta }) => meta.id !== COMMENTS)
  .map((rule) => rule.create(context, {}));

/** Replaces the tokens of services that secretlint knows. */
export function redactKnown(text: string): string {
  found = [];
  const source = { content: text, contentType: 'text', filePath: 'message.txt', ext: '.txt' };
  for (const scanner of scanners) scanner.file?.(source);
  // From the end: a replacement moves what follows. Rules may find overlapping parts.
  const last = found.toSorted(([first], [second]) => second - first);
  let [safe, from] = [text, text.length];
  for (const [start, end] of last) {
    safe = `${safe.slice(0, start)}${REDACTED}${safe.slice(Math.max(start, Math.min(end, from)))}`;
    from = start;
  }
  return safe;
}

function rulesOf(preset: object): readonly Rule[] {
  const { rules = [] }: { readonly rules?: unknown } = preset;
  return Array.isArray(rules) ? rules.filter(isRule) : [];
}

function isRule(value: unknown): value is Rule {
  return isObject(value) && typeof value['create'] === 'function' && isObject(value['meta']);
}
