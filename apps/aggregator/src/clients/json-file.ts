import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  parse,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';

/** Comments and trailing commas are valid: several clients write them. */
const PARSE = { allowTrailingComma: true, disallowComments: false };

/** The table `root` of a JSON file with comments, empty if it does not exist. @throws StartError for invalid JSON */
export function tableInJson(text: string, root: string): Readonly<Record<string, unknown>> {
  return tableIn(parsed(text), root) ?? {};
}

/**
 * Sets or removes the value at `[root, name]`. Nothing else in the text changes, comments and formatting included.
 * See docs/decisions/0041.
 *
 * @param value undefined removes it
 * @throws StartError for a text that is not a JSON object
 */
export function editJson(text: string, root: string, name: string, value: unknown): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(bom.length);
  const before = parsed(body);
  if (body.trim() === '') return `${bom}${JSON.stringify({ [root]: { [name]: value } }, null, 2)}\n`;
  const expected = { ...before, [root]: withValue(tableIn(before, root) ?? {}, name, value) };
  const edited = value === undefined ? removed(body, [root, name]) : inserted(body, root, name, value);
  if (!isDeepStrictEqual(parsed(edited), JSON.parse(JSON.stringify(expected)))) {
    throw new StartError(`"${root}" cannot be changed without changing more. Edit the file yourself.`);
  }
  return bom + edited;
}

/** Without formatting options the library changes nothing but the property. */
function removed(text: string, path: JSONPath): string {
  return applyEdits(text, modify(text, path, undefined, {}));
}

/** The library's own insertion formats the property before, and moves its comment. */
function inserted(text: string, root: string, name: string, value: unknown): string {
  const tree = parseTree(text, [], PARSE);
  const table = tree && findNodeAtLocation(tree, [root]);
  const present = tree && findNodeAtLocation(tree, [root, name]);
  if (present !== undefined) {
    const end = present.offset + present.length;
    return text.slice(0, present.offset) + valueText(text, present.offset, value) + text.slice(end);
  }
  if (table !== undefined) return withFirstProperty(text, table, name, value);
  return tree === undefined ? text : withFirstProperty(text, tree, root, { [name]: value });
}

/** The first place needs no change of the property before it. */
function withFirstProperty(text: string, object: Node, key: string, value: unknown): string {
  const start = object.offset + 1;
  const hasOthers = (object.children ?? []).length > 0;
  const [line = ''] = text.slice(start).split(/\r?\n/, 1);
  const isMultiline = /^\s*(?:\/\/.*)?$/.test(line) && text.length > start + line.length;
  const { eol, unit } = styleOf(text);
  if (!isMultiline && hasOthers) {
    return `${text.slice(0, start)}${JSON.stringify(key)}:${JSON.stringify(value)},${text.slice(start)}`;
  }
  const outer = indentAt(text, object.offset);
  const property = `${outer}${unit}${JSON.stringify(key)}: ${indented(value, outer + unit, text)}`;
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

function withValue(
  table: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Record<string, unknown> {
  const { [name]: _, ...others } = table;
  return value === undefined ? others : { ...others, [name]: value };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
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

function tableIn(
  value: Readonly<Record<string, unknown>>,
  root: string,
): Readonly<Record<string, unknown>> | undefined {
  const table = value[root];
  if (table === undefined) return undefined;
  if (!isObject(table)) throw new StartError(`"${root}" is not an object.`);
  return table;
}
