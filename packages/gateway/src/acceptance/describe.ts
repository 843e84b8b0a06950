import { isObject } from '@deskside/core/base';
import { diffLines } from 'diff';
import { escapeInvisible, truncateCodePoints } from '@deskside/core/text';
import type { ReviewLine, ReviewPart } from '@deskside/desktop';
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
export function overviewOf(listing: ServerListing): readonly ReviewPart[] {
  const { serverInfo, protocolVersion, instructions, tools, prompts, resources, resourceTemplates } = listing;
  const all: readonly (readonly [ChangeKind, readonly { readonly name: string }[]])[] = [
    ['tool', tools],
    ['prompt', prompts],
    ['resource', resources],
    ['resource template', resourceTemplates],
  ];
  const items = all.flatMap(([kind, each]) => each.map((item) => wholeItem(kind, item)));
  const { name, title, version, ...more } = serverInfo;
  return [
    {
      title: `${escapeInvisible(title ?? name)} ${escapeInvisible(version)}, MCP ${escapeInvisible(protocolVersion)}`,
      fields: fields({ ...(title === undefined ? {} : { name }), ...more }),
    },
    ...(instructions === undefined ? [] : [wholeText('instructions', instructions)]),
    ...(items.length === 0 ? [{ title: 'It lists nothing.' }] : items),
  ];
}

interface Item {
  readonly name: string;
  readonly description?: unknown;
}

function isItem(value: unknown): value is Item {
  return isObject(value) && typeof value['name'] === 'string';
}

function wholeText(title: string, text: unknown): ReviewPart {
  return { title, ...textOfPart(text), lines: marks(text) };
}

function wholeItem(kind: ChangeKind, item: Item): ReviewPart {
  const { name, description, ...rest } = item;
  return {
    title: `${kind} ${escapeInvisible(name)}`,
    ...claimOfPart(kind, item),
    ...textOfPart(description),
    ...('inputSchema' in rest ? { schema: rest.inputSchema } : {}),
    fields: fields(rest),
    lines: marks(item),
  };
}

/** What a tool claims of itself, in words. */
function claimOfPart(kind: ChangeKind, item: unknown): Pick<ReviewPart, 'claim'> {
  if (kind !== 'tool' || !isObject(item)) return {};
  return { claim: claimOf({ annotations: item['annotations'] }) };
}

function textOfPart(text: unknown): Pick<ReviewPart, 'text'> {
  const whole = typeof text === 'string' ? escapeInvisible(text.trim(), { multiline: true }) : '';
  return whole === '' ? {} : { text: whole };
}

function fields(value: object): readonly ReviewLine[] {
  return Object.keys(value).length === 0 ? [] : leavesOf(value).flatMap((leaf) => added('', leaf));
}

function marks(value: unknown): readonly ReviewLine[] {
  return findingsOf(value).map((finding) => ({ text: `! ${finding}`, mark: 'warning' }));
}

/** What is new or differs, for a person who decides: every line of every text, a field per line. Nothing is cut. */
export function differenceOf({ kind, name, before, after }: Change): ReviewPart {
  if (before === undefined) {
    const part = isItem(after) ? wholeItem(kind, after) : wholeText(kind, after);
    return { ...part, state: 'new' };
  }
  const [old, next] = [byPointer(before, after), byPointer(after, before)];
  const pointers = [...new Set([...old.keys(), ...next.keys()])];
  const lines = pointers.flatMap((pointer) => leafDifference(old.get(pointer), next.get(pointer)));
  return {
    title: [kind, escapeInvisible(name)].filter((part) => part !== '').join(' '),
    ...claimOfPart(kind, after),
    state: 'changed',
    lines: [...lines, ...marks(after)],
  };
}

const SIGNS = { new: '+ ', changed: '~ ', gone: '- ' };

/** For a terminal. */
export function partLines(part: ReviewPart): readonly string[] {
  const { title, isHeading, state, claim, text, fields = [], lines = [] } = part;
  if (isHeading === true) return [title];
  const named = `  ${state === undefined ? '' : SIGNS[state]}${title}${claim === undefined ? '' : ` (${claim})`}`;
  const below = [...fields, ...lines].map((line) => `      ${line.text}`);
  if (text === undefined) return [named, ...below];
  // A short text stands behind its title.
  if (!isLong(text)) return [`${named}: ${text}`, ...below];
  return [`${named}:`, ...text.split('\n').map((line) => `      ${line}`), ...below];
}

/** A value that is shown as a whole. */
interface Leaf {
  /** JSON Pointer (RFC 6901), so that no two fields have the same; empty for the value itself. */
  readonly pointer: string;
  readonly value: unknown;
}

/** @param other what it is compared with: a list and an object can have the same pointers, so they are shown whole */
function leavesOf(value: unknown, other: unknown = value, pointer = ''): readonly Leaf[] {
  const [entries, others] = [entriesOf(value), entriesOf(other)];
  const isOtherKind = others.length > 0 && Array.isArray(value) !== Array.isArray(other);
  if (entries.length === 0 || isOtherKind) return [{ pointer, value }];
  const members = new Map(others);
  return entries.flatMap(([key, member]) =>
    leavesOf(member, members.get(key), `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function byPointer(value: unknown, other: unknown): ReadonlyMap<string, Leaf> {
  return new Map(leavesOf(value, other).map((leaf) => [leaf.pointer, leaf]));
}

function leafDifference(before: Leaf | undefined, after: Leaf | undefined): readonly ReviewLine[] {
  if (before === undefined || after === undefined) {
    return [...(before ? added('- ', before) : []), ...(after ? added('+ ', after) : [])];
  }
  if (JSON.stringify(before.value) === JSON.stringify(after.value)) return [];
  let [old, next] = [textOf(before.value), textOf(after.value)];
  // An invisible character and its visible form look the same.
  if (old === next) [old, next] = [plainJson(before.value), plainJson(after.value)];
  const mark = markOfAdded(after);
  if (!isLong(old) && !isLong(next)) return [{ text: `${label(after)}${old} → ${next}`, mark }];
  const lines = diffLines(`${old}\n`, `${next}\n`).flatMap(({ value, added: isNew, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => signed(isNew ? '+ ' : removed ? '- ' : '  ', line, '  ', mark)),
  );
  return [{ text: `${escapeInvisible(after.pointer) || 'text'}:` }, ...lines];
}

type Sign = '+ ' | '- ' | '  ' | '';

function added(sign: Sign, leaf: Leaf): readonly ReviewLine[] {
  const text = textOf(leaf.value);
  const mark = markOfAdded(leaf);
  if (!isLong(text)) return [signed(sign, `${label(leaf)}${text}`, '', mark)];
  const lines = text.split('\n').map((line) => signed(sign, line, '  ', mark));
  return [signed(sign, `${escapeInvisible(leaf.pointer) || 'text'}:`), ...lines];
}

/** A warning can be about several lines together. */
function markOfAdded({ value }: Leaf): 'added' | 'suspicious' {
  return findingsOf(value).length > 0 ? 'suspicious' : 'added';
}

function signed(
  sign: Sign,
  text: string,
  indentation: '  ' | '' = '',
  mark: 'added' | 'suspicious' = 'added',
): ReviewLine {
  const whole = `${indentation}${sign}${text}`;
  if (sign === '+ ') return { text: whole, mark };
  return sign === '- ' ? { text: whole, mark: 'removed' } : { text: whole };
}

function label({ pointer }: Leaf): string {
  return pointer === '' ? '' : `${escapeInvisible(pointer)}: `;
}

const MAX_INLINE_LENGTH = 60;

function isLong(text: string): boolean {
  return text.length > MAX_INLINE_LENGTH || text.includes('\n');
}

/** A text as it is, unless it looks like another value; everything else as JSON. */
function textOf(value: unknown): string {
  if (typeof value !== 'string') return escapeInvisible(JSON.stringify(value) ?? 'null');
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

/** What may be markup or a part of an address, or cannot be seen. */
const MARKUP = /[^\p{L}\p{M}\p{N} _.:/-]|:(?=\/\/)|\.(?=\p{L})|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|\p{DI}/gu;

/** Phones show the sentence as Markdown, so a name may contain neither markup nor an address that becomes a link. */
function nameText(name: string): string {
  const plain = name.replaceAll(MARKUP, '?');
  return truncateCodePoints(plain, MAX_NAME_CODE_POINTS);
}
