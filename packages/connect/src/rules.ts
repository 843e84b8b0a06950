import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@deskside/core/base';
import { SERVER_NAME, type Client, type Fields, type Place, type Rule, type Values } from './client.ts';
import { type FileChange, planEdit, serversIn } from './config-file.ts';
import { editItems, editJson, nested, plain } from './json-file.ts';

/** Whether agents may ask and notify without a prompt of the client already. */
export async function hasRule(client: Client, place: Place): Promise<boolean> {
  const { rule } = client;
  if (rule?.kind !== 'entry') return (await planRule(client, place, true)) === undefined;
  const present = (await serversIn(client, client.file(place)))[SERVER_NAME];
  return isDeepStrictEqual(plain(withRule({}, rule, present, true)), plain(withRule({}, rule, present)));
}

/**
 * The entry with the rule that belongs into it.
 *
 * @param present the entry before
 * @param isAllowed undefined leaves what is present
 */
export function withRule(
  entry: Fields,
  rule: Rule | undefined,
  present: unknown,
  isAllowed?: boolean,
): Fields {
  if (rule?.kind !== 'entry') return entry;
  const { field, values } = rule;
  const before = isObject(present) ? present[field] : undefined;
  const next = isAllowed === undefined ? before : merged(before, values, isAllowed);
  const isEmpty = typeof next !== 'object' || next === null || Object.keys(next).length === 0;
  return isEmpty ? entry : { ...entry, [field]: next };
}

function merged(before: unknown, values: Values, isAllowed: boolean): unknown {
  if (isList(values)) {
    const items: readonly unknown[] = Array.isArray(before) ? before : [];
    if (!isAllowed) return items.filter((item) => !values.some((value) => value === item));
    return [...items, ...values.filter((value) => !items.includes(value))];
  }
  const others = Object.entries(isObject(before) ? before : {}).filter(([key]) => !(key in values));
  return { ...Object.fromEntries(others), ...(isAllowed ? values : {}) };
}

/** The change of the file that contains the rule, if it is another one than the entry; undefined if nothing changes. */
export async function planRule(
  { rule }: Client,
  place: Place,
  isAllowed: boolean | undefined,
): Promise<FileChange | undefined> {
  if (rule === undefined || rule.kind === 'entry' || isAllowed === undefined) return undefined;
  const change = await planEdit(rule.file(place), (text) => edited(text, rule, isAllowed));
  return change.after === (change.before ?? '') ? undefined : change;
}

function edited(text: string, rule: Exclude<Rule, { kind: 'entry' }>, isAllowed: boolean): string {
  if (rule.kind === 'texts') return isAllowed ? withTexts(text, rule.texts) : withoutTexts(text, rule.texts);
  const { path, values } = rule;
  if (isList(values)) return editItems(text, path, values, isAllowed);
  return Object.entries(values).reduce(
    (rest, [key, value]) => editJson(rest, [...path, key], isAllowed ? value : undefined),
    text,
  );
}

function withTexts(text: string, texts: readonly string[]): string {
  const missing = texts.filter((each) => !text.includes(each));
  const rest = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return missing.length === 0 ? text : [...(rest === '' ? [] : [rest]), ...missing].join('\n');
}

/** With the empty line before each. */
function withoutTexts(text: string, texts: readonly string[]): string {
  return texts.reduce((rest, each) => rest.replace(`\n${each}`, '').replace(each, ''), text);
}

/** As a person reads it. */
export function shownRule(rule: Rule): string {
  if (rule.kind === 'texts') return rule.texts.join('\n').trimEnd();
  const path = rule.kind === 'json' ? rule.path : [rule.field];
  return JSON.stringify(nested(path, rule.values), null, 2);
}

function isList(values: Values): values is readonly string[] {
  return Array.isArray(values);
}
