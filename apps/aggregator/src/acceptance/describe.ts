import { diffLines } from 'diff';
import { escapeInvisible, truncateCodePoints } from '@deskside/core/text';
import type { ServerListing } from '../external/listing.ts';
import type { Change, ChangeKind } from './compare.ts';

const MAX_NAME_CODE_POINTS = 80;
const MAX_SUMMARY_CODE_POINTS = 100;
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

/** A server that a person accepts for the first time: what it offers, a line each. */
export function overviewOf(listing: ServerListing): readonly string[] {
  const { serverInfo, protocolVersion, instructions, tools, prompts, resources, resourceTemplates } = listing;
  const named = (
    kind: ChangeKind,
    items: readonly { readonly name: string; readonly description?: string | undefined }[],
  ) => items.map(({ name, description }) => `  ${kind} ${nameText(name)}${firstLine(description)}`);
  return [
    `  ${nameText(serverInfo.title ?? serverInfo.name)} ${nameText(serverInfo.version)}, MCP ${nameText(protocolVersion)}`,
    ...(instructions === undefined ? [] : [`  instructions${firstLine(instructions)}`]),
    ...named('tool', tools),
    ...named('prompt', prompts),
    ...named('resource', resources),
    ...named('resource template', resourceTemplates),
    ...(tools.length + prompts.length + resources.length + resourceTemplates.length === 0
      ? ['  It lists nothing.']
      : []),
  ];
}

function firstLine(text: string = ''): string {
  const line = text.trim().split(/\r?\n/)[0] ?? '';
  return line === '' ? '' : `: ${truncateCodePoints(escapeInvisible(line), MAX_SUMMARY_CODE_POINTS)}`;
}

/** What differs, for a person who decides: every line of every text, a field per line. Nothing is cut. */
export function differenceOf(change: Change): readonly string[] {
  const { kind, name, before, after } = change;
  const title = [kind, nameText(name)].filter((part) => part !== '').join(' ');
  if (before === undefined) {
    return [`  + ${title}`, ...fieldsOf(after).flatMap(([path, text]) => added('+', path, text))];
  }
  const [old, next] = [new Map(fieldsOf(before)), new Map(fieldsOf(after))];
  const paths = [...new Set([...old.keys(), ...next.keys()])];
  const lines = paths.flatMap((path) => fieldDifference(path, old.get(path), next.get(path)));
  return [`  ~ ${title}`, ...lines];
}

function fieldDifference(path: string, before: string | undefined, after: string | undefined): string[] {
  if (before === after) return [];
  if (before === undefined) return added('+', path, after ?? '');
  if (after === undefined) return added('-', path, before);
  if (!isLong(before) && !isLong(after)) return [`      ${label(path)}${before} → ${after}`];
  const lines = diffLines(`${before}\n`, `${after}\n`).flatMap(({ value, added: isNew, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `        ${isNew ? '+' : removed ? '-' : ' '} ${line}`),
  );
  return [`      ${path === '' ? 'text' : path}:`, ...lines];
}

function added(sign: '+' | '-', path: string, text: string): string[] {
  if (!isLong(text)) return [`      ${sign} ${label(path)}${text}`];
  return [
    `      ${sign} ${path === '' ? 'text' : path}:`,
    ...text.split('\n').map((line) => `        ${sign} ${line}`),
  ];
}

function label(path: string): string {
  return path === '' ? '' : `${path}: `;
}

const MAX_INLINE_LENGTH = 60;

function isLong(text: string): boolean {
  return text.length > MAX_INLINE_LENGTH || text.includes('\n');
}

/** The leaves of a value by their paths: texts as they are, everything else as JSON. Made visible. */
function fieldsOf(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, escapeInvisible(value, { multiline: true })]];
  if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value) ?? 'null']];
  const entries = Object.entries(value);
  if (entries.length === 0) return [[path, Array.isArray(value) ? '[]' : '{}']];
  return entries.flatMap(([key, field]) => {
    const name = escapeInvisible(key);
    return fieldsOf(field, path === '' ? name : `${path}.${name}`);
  });
}

function stateOf({ before }: Change): 'new' | 'changed' {
  return before === undefined ? 'new' : 'changed';
}

function nameText(name: string): string {
  return truncateCodePoints(escapeInvisible(name), MAX_NAME_CODE_POINTS);
}
