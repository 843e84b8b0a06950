import { isObject } from '@deskside/core/base';
import { diffLines } from 'diff';
import { escapeInvisible, truncateCodePoints } from '@deskside/core/text';
import { claimOf } from '../approvals/words.ts';
import type { ServerListing } from '../external/listing.ts';
import type { Change, ChangeKind } from './compare.ts';
import { findingsOf } from './findings.ts';

const MAX_NAME_CODE_POINTS = 80;
const MAX_NAMES = 10;

/** One sentence for people: `2 new tools (a, b), changed instructions`. */
export function summaryOf(changes: readonly Change[]): string {
  const groups = Map.groupBy(changes, (change) => `${stateOf(change)} ${change.kind}`);
  return [...groups.values()].map(groupText).join(', ');
}

function groupText(changes: readonly Change[]): string {
  const [first] = changes;
  if (first === undefined) return '';
  const { kind } = first;
  if (kind === 'instructions' || kind === 'server') return `${stateOf(first)} ${WHOLE[kind]}`;
  const names = changes.slice(0, MAX_NAMES).map(({ name }) => nameText(name));
  const more = changes.length > MAX_NAMES ? [`${changes.length - MAX_NAMES} more`] : [];
  const count = `${changes.length} ${stateOf(first)} ${kind}${changes.length === 1 ? '' : 's'}`;
  return `${count} (${[...names, ...more].join(', ')})`;
}

const WHOLE = { instructions: 'instructions', server: 'name of the server' } as const;

/** A server that a person accepts for the first time: everything that it says. */
export function overviewOf(listing: ServerListing): readonly string[] {
  const { serverInfo, protocolVersion, instructions, tools, prompts, resources, resourceTemplates } = listing;
  const all: readonly (readonly [ChangeKind, readonly { readonly name: string }[]])[] = [
    ['tool', tools],
    ['prompt', prompts],
    ['resource', resources],
    ['resource template', resourceTemplates],
  ];
  const items = all.flatMap(([kind, each]) => each.flatMap((item) => wholeItem(kind, item)));
  const { name, title, version, ...more } = serverInfo;
  return [
    `  ${visible(title ?? name)} ${visible(version)}, MCP ${visible(protocolVersion)}`,
    ...fields({ ...(title === undefined ? {} : { name }), ...more }),
    ...(instructions === undefined
      ? []
      : [...textLines('  instructions', instructions), ...marks(instructions)]),
    ...(items.length === 0 ? ['  It lists nothing.'] : items),
  ];
}

function wholeItem(kind: ChangeKind, item: { readonly name: string; readonly description?: unknown }) {
  const { name, description, ...rest } = item;
  const title = `  ${kind} ${visible(name)}${hintText(kind, item)}`;
  return [
    ...(typeof description === 'string' ? textLines(title, description) : [title]),
    ...fields(rest),
    ...marks(item),
  ];
}

/** What a tool claims of itself, in words. */
function hintText(kind: ChangeKind, item: unknown): string {
  if (kind !== 'tool' || !isObject(item)) return '';
  return ` (${claimOf({ annotations: item['annotations'] })})`;
}

function fields(value: object): readonly string[] {
  return Object.keys(value).length === 0 ? [] : leavesOf(value).flatMap((leaf) => added('', leaf));
}

function marks(value: unknown): readonly string[] {
  return findingsOf(value).map((finding) => `      ! ${finding}`);
}

/** What differs, for a person who decides: every line of every text, a field per line. Nothing is cut. */
export function differenceOf(change: Change): readonly string[] {
  const { kind, name, before, after } = change;
  const title = `${[kind, visible(name)].filter((part) => part !== '').join(' ')}${hintText(kind, after)}`;
  if (before === undefined) {
    return [`  + ${title}`, ...leavesOf(after).flatMap((leaf) => added('+ ', leaf)), ...marks(after)];
  }
  const [old, next] = [byPointer(before), byPointer(after)];
  const pointers = [...new Set([...old.keys(), ...next.keys()])];
  const lines = pointers.flatMap((pointer) => leafDifference(old.get(pointer), next.get(pointer)));
  return [`  ~ ${title}`, ...lines, ...marks(after)];
}

/** A value without members. */
interface Leaf {
  /** JSON Pointer (RFC 6901), so that no two fields have the same; empty for the value itself. */
  readonly pointer: string;
  readonly value: unknown;
}

function leavesOf(value: unknown, pointer = ''): readonly Leaf[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return [{ pointer, value }];
  return entries.flatMap(([key, member]) =>
    leavesOf(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

function byPointer(value: unknown): ReadonlyMap<string, Leaf> {
  return new Map(leavesOf(value).map((leaf) => [leaf.pointer, leaf]));
}

function leafDifference(before: Leaf | undefined, after: Leaf | undefined): readonly string[] {
  if (before === undefined || after === undefined) {
    return [...(before ? added('- ', before) : []), ...(after ? added('+ ', after) : [])];
  }
  if (JSON.stringify(before.value) === JSON.stringify(after.value)) return [];
  let [old, next] = [textOf(before.value), textOf(after.value)];
  // An invisible character and its visible form look the same.
  if (old === next) [old, next] = [plainJson(before.value), plainJson(after.value)];
  if (!isLong(old) && !isLong(next)) return [`      ${label(after)}${old} → ${next}`];
  const lines = diffLines(`${old}\n`, `${next}\n`).flatMap(({ value, added: isNew, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `        ${isNew ? '+' : removed ? '-' : ' '} ${line}`),
  );
  return [`      ${visible(after.pointer) || 'text'}:`, ...lines];
}

function added(sign: '+ ' | '- ' | '', leaf: Leaf): readonly string[] {
  const text = textOf(leaf.value);
  if (!isLong(text)) return [`      ${sign}${label(leaf)}${text}`];
  const lines = text.split('\n').map((line) => `        ${sign}${line}`);
  return [`      ${sign}${visible(leaf.pointer) || 'text'}:`, ...lines];
}

function label({ pointer }: Leaf): string {
  return pointer === '' ? '' : `${visible(pointer)}: `;
}

/** A short text behind its title, a long one below it. */
function textLines(title: string, text: string): readonly string[] {
  const whole = escapeInvisible(text.trim(), { multiline: true });
  if (whole === '') return [title];
  if (!isLong(whole)) return [`${title}: ${whole}`];
  return [`${title}:`, ...whole.split('\n').map((line) => `      ${line}`)];
}

const MAX_INLINE_LENGTH = 60;

function isLong(text: string): boolean {
  return text.length > MAX_INLINE_LENGTH || text.includes('\n');
}

/** A text as it is, unless it looks like another value; everything else as JSON. */
function textOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null';
  const looksLikeJson = /^(?:true|false|null|[-"{[\d].*)$/s.test(value) && !value.includes('\n');
  return escapeInvisible(looksLikeJson ? JSON.stringify(value) : value, { multiline: true });
}

function plainJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function stateOf({ before }: Change): 'new' | 'changed' {
  return before === undefined ? 'new' : 'changed';
}

function visible(text: string): string {
  return escapeInvisible(text);
}

function nameText(name: string): string {
  return truncateCodePoints(visible(name), MAX_NAME_CODE_POINTS);
}
