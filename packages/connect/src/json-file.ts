import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  parse,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';

/** Comments and trailing commas are valid: several clients write them. */
const PARSE = { allowTrailingComma: true, disallowComments: false };

type Table = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** The table `root` of a JSON file with comments, empty if it does not exist. @throws StartError for invalid JSON */
export function tableInJson(text: string, root: string): Table {
  return tableIn(parsed(text), root) ?? {};
}

/**
 * Sets or removes the value at a path. Nothing else in the text changes, comments and formatting included; objects on the
 * path that are empty then go, too. A client that rewrites its file from memory can drop the entry again.
 *
 * @param value undefined removes it
 * @throws StartError for a text that is not a JSON object
 */
export function editJson(text: string, path: readonly string[], value: unknown): string {
  return edited(text, path, value, (body) =>
    value === undefined ? removed(body, path) : inserted(body, path, value),
  );
}

/**
 * Adds items to the list at a path, or removes them, as `editJson` does.
 *
 * @throws StartError for a text that is not a JSON object
 */
export function editItems(
  text: string,
  path: readonly string[],
  items: readonly unknown[],
  hasItems: boolean,
): string {
  const list = itemsIn(text, path);
  const others = list.filter((item) => !contains(items, item));
  const missing = items.filter((item) => !contains(list, item));
  if (!hasItems) {
    const found = [...list.keys()].filter((index) => contains(items, list[index]));
    return edited(text, path, others.length === 0 ? undefined : others, (body) =>
      found.reduceRight<string>((rest, index) => removed(rest, [...path, index]), body),
    );
  }
  if (missing.length === 0) return text;
  if (list.length === 0) return editJson(text, path, missing);
  return edited(text, path, [...missing, ...list], (body) =>
    missing.reduceRight<string>((rest, item) => {
      const node = nodeAt(rest, path);
      return node === undefined ? rest : withFirst(rest, node, undefined, item);
    }, body),
  );
}

/** The list at a path, empty if there is none. @throws StartError for another value */
export function itemsIn(text: string, path: readonly string[]): readonly unknown[] {
  const list = valueAt(parsed(text), path) ?? [];
  if (!Array.isArray(list)) throw new StartError(`"${path.join('.')}" is not a list.`);
  return list;
}

function contains(items: readonly unknown[], item: unknown): boolean {
  return items.some((each) => isDeepStrictEqual(plain(each), plain(item)));
}

/** @throws StartError if anything but the value would change */
function edited(
  text: string,
  path: readonly string[],
  value: unknown,
  edit: (body: string) => string,
): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(mark.length);
  const before = withValueAt(parsed(body), path, value);
  const result =
    body.trim() === '' && value !== undefined
      ? `${JSON.stringify(nested(path, value), null, 2)}\n`
      : edit(body);
  const after = parsed(result);
  const left = valueAt(after, path);
  const isSet = isDeepStrictEqual(isEmptyList(left) ? undefined : left, plain(value));
  if (isSet && isDeepStrictEqual(plain(withValueAt(after, path, value)), plain(before))) return mark + result;
  throw new StartError(`"${path[0]}" cannot be changed without changing more. Edit the file yourself.`);
}

/** The library's own removal takes the comments before the next property, too. */
function removed(text: string, path: Path): string {
  const value = nodeAt(text, path);
  const node = value?.parent?.type === 'property' ? value.parent : value;
  const container = node?.parent;
  if (node === undefined || container === undefined) return text;
  const siblings = container.children ?? [];
  const end = node.offset + node.length;
  const comma = commaAfter(text, end);
  const around =
    text.slice(container.offset + 1, node.offset) + text.slice(end, container.offset + container.length - 1);
  if (siblings.length === 1 && path.length > 1 && /^[\s,]*$/.test(around))
    return removed(text, path.slice(0, -1));
  const [from, to] = wholeLines(text, node.offset, comma === undefined ? end : comma + 1);
  const previous = siblings[siblings.indexOf(node) - 1];
  const separator =
    comma === undefined && previous !== undefined
      ? commaAfter(text, previous.offset + previous.length)
      : undefined;
  const head =
    separator === undefined
      ? text.slice(0, from)
      : text.slice(0, separator) + text.slice(separator + 1, from);
  return head + text.slice(to);
}

function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const found = scanner.getTokenOffset();
  return text[found] === ',' ? found : undefined;
}

/** With indentation and line end, if nothing else is in the lines. */
function wholeLines(text: string, start: number, end: number): readonly [number, number] {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const [rest] = /^[ \t]*\r?\n/.exec(text.slice(end)) ?? [];
  if (rest === undefined || text.slice(lineStart, start).trim() !== '') return [start, end];
  return [lineStart, end + rest.length];
}

/** The library's own insertion formats the property before, and moves its comment. */
function inserted(text: string, path: readonly string[], value: unknown): string {
  const present = nodeAt(text, path);
  if (present !== undefined) {
    const end = present.offset + present.length;
    return text.slice(0, present.offset) + valueText(text, present.offset, value) + text.slice(end);
  }
  const keys = path.map((_, index) => path.slice(0, index)).toReversed();
  const parent = keys.find((each) => nodeAt(text, each) !== undefined) ?? [];
  const object = nodeAt(text, parent);
  const [key, ...rest] = path.slice(parent.length);
  return object === undefined ? text : withFirst(text, object, key, nested(rest, value));
}

/** The first place needs no change of the property or item before it. */
function withFirst(text: string, container: Node, key: string | undefined, value: unknown): string {
  const start = container.offset + 1;
  const hasOthers = (container.children ?? []).length > 0;
  const [line = ''] = text.slice(start).split(/\r?\n/, 1);
  const isMultiline = /^\s*(?:\/\/.*)?$/.test(line) && text.length > start + line.length;
  const { eol, unit } = styleOf(text);
  const name = key === undefined ? '' : `${JSON.stringify(key)}:`;
  if (!isMultiline && hasOthers) {
    return `${text.slice(0, start)}${name}${JSON.stringify(value)},${text.slice(start)}`;
  }
  const outer = indentAt(text, container.offset);
  const property = `${outer}${unit}${name && `${name} `}${indented(value, outer + unit, text)}`;
  if (!isMultiline)
    return `${text.slice(0, start)}${eol}${property}${eol}${outer}${text.slice(start).trimStart()}`;
  const next = start + line.length + (text.startsWith('\r\n', start + line.length) ? 2 : 1);
  return `${text.slice(0, next)}${property}${hasOthers ? ',' : ''}${eol}${text.slice(next)}`;
}

function valueText(text: string, offset: number, value: unknown): string {
  const isOneLine = !text.trim().includes('\n');
  return isOneLine ? JSON.stringify(value) : indented(value, indentAt(text, offset), text);
}

function indented(value: unknown, indent: string, text: string): string {
  const { eol, unit } = styleOf(text);
  return JSON.stringify(value, null, unit).replaceAll('\n', eol + indent);
}

/** The white space at the beginning of the line of an offset. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The indentation and the line ends of a file. */
function styleOf(text: string) {
  const [, unit = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { unit, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** An object with a value at a path. */
export function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function nodeAt(text: string, path: Path): Node | undefined {
  const tree = parseTree(text, [], PARSE);
  return tree && findNodeAtLocation(tree, [...path]);
}

function valueAt(table: Table, [key = '', ...rest]: readonly string[]): unknown {
  if (rest.length === 0) return table[key];
  return valueAt(tableIn(table, key) ?? {}, rest);
}

/** Without objects on the path that are empty then. */
function withValueAt(table: Table, [key = '', ...rest]: readonly string[], value: unknown): Table {
  const { [key]: _, ...others } = table;
  const next = rest.length === 0 ? value : withValueAt(tableIn(table, key) ?? {}, rest, value);
  const isGone =
    next === undefined || (value === undefined && isObject(next) && Object.keys(next).length === 0);
  return isGone ? others : { ...others, [key]: next };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Without prototypes and undefined properties. */
export function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function parsed(text: string): Table {
  const body = text.replace(/^\uFEFF/, '');
  if (body.trim() === '') return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(body, errors, PARSE);
  const [error] = errors;
  if (error !== undefined) {
    const line = body.slice(0, error.offset).split('\n').length;
    throw new StartError(`Line ${line} is not valid JSON (${printParseErrorCode(error.error)}).`);
  }
  if (!isObject(value)) throw new StartError('The file does not contain a JSON object.');
  return value;
}

function tableIn(value: Table, root: string): Table | undefined {
  const table = value[root];
  if (table === undefined) return undefined;
  if (!isObject(table)) throw new StartError(`"${root}" is not an object.`);
  return table;
}
