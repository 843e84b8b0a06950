import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@deskside/core/base';
import { StartError, unlessStartFails } from '@deskside/core/errors';
import { parse, stringify, TomlError } from 'smol-toml';
import { plain } from './json-file.ts';

/** The table `root` of a TOML file, empty if it does not exist. @throws StartError for invalid TOML */
export function tableInToml(text: string, root: string): Readonly<Record<string, unknown>> {
  const table = parsed(text)[root];
  return isObject(table) ? table : {};
}

/**
 * Sets or removes the table `[root.name]`. Nothing else in the text changes, comments and formatting included.
 *
 * @param value undefined removes it
 * @throws StartError for invalid TOML, and for a table in another form
 */
export function editToml(text: string, root: string, name: string, value: unknown): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(bom.length);
  const before = parsed(body);
  const eol = body.includes('\r\n') ? '\r\n' : '\n';
  const rest = withoutTable(body, `${root}.${name}`);
  const table = value === undefined ? '' : stringify({ [root]: { [name]: value } }).replaceAll('\n', eol);
  const edited = appended(rest, table, eol);
  const expected = withValue(before, root, name, value);
  if (!isSame(edited, expected)) {
    throw new StartError(
      `The table [${root}.${name}] cannot be changed without changing more. Edit the file yourself.`,
    );
  }
  return bom + edited;
}

/**
 * Adds texts to the list `key` of the table `[root.name]`, which is created if it does not exist. Nothing else in the text
 * changes, comments and formatting included.
 *
 * @throws StartError for invalid TOML, and for a table or list in another form
 */
export function addToTomlList(
  text: string,
  root: string,
  name: string,
  key: string,
  added: readonly string[],
): string {
  const before = tableInToml(text, root);
  const table = isObject(before[name]) ? before[name] : {};
  const old: readonly unknown[] = Array.isArray(table[key]) ? table[key] : [];
  const items = added.map((each) => JSON.stringify(each)).join(', ');
  const edited = withItems(text, `${root}.${name}`, key, items);
  const value = { ...table, [key]: [...added, ...old] };
  if (!isSame(edited, withValue(parsed(text), root, name, value)))
    throw new StartError(`Add ${items} to "${key}" of [${root}.${name}] yourself, then try again.`);
  return edited;
}

function withItems(text: string, path: string, key: string, items: string): string {
  const lines = text.split(/(?<=\n)/);
  const header = new RegExp(`${tableHeader(path)}[ \\t]*\\]`);
  const start = lines.findIndex((line) => header.test(line)) + 1;
  const length = lines.slice(start).findIndex((line) => /^[ \t]*\[/.test(line));
  const end = length < 0 ? lines.length : start + length;
  const list = new RegExp(String.raw`^([ \t]*${key}[ \t]*=[ \t]*\[)([ \t]*\])?`);
  const at = lines.findIndex((line, index) => index >= start && index < end && list.test(line));
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  if (at < 0) return lines.toSpliced(start, 0, `${key} = [${items}]${eol}`).join('');
  const line = (lines[at] ?? '').replace(list, (_, opening: string, closing: string | undefined) =>
    closing === undefined ? `${opening}${items}, ` : `${opening}${items}]`,
  );
  return lines.toSpliced(at, 1, line).join('');
}

function isSame(edited: string, expected: unknown): boolean {
  return unlessStartFails(
    () => isDeepStrictEqual(plain(parsed(edited)), plain(expected)),
    () => false,
  );
}

function withValue(before: Readonly<Record<string, unknown>>, root: string, name: string, value: unknown) {
  const servers = isObject(before[root]) ? before[root] : {};
  const { [name]: _, ...others } = servers;
  const next = value === undefined ? others : { ...others, [name]: value };
  const { [root]: __, ...rest } = before;
  const isGone = Object.keys(next).length === 0 && value === undefined;
  return isGone ? rest : { ...before, [root]: next };
}

/**
 * Removes the lines from the header of a table to the next header; its subtables too. Comments right before the next
 * header belong to that header.
 */
function withoutTable(text: string, path: string): string {
  const header = new RegExp(String.raw`${tableHeader(path)}[ \t]*[.\]]`);
  const kept: string[] = [];
  let comments: string[] = [];
  let isInside = false;
  for (const line of text.split(/(?<=\n)/)) {
    if (/^[ \t]*\[/.test(line)) {
      const wasInside = isInside;
      isInside = header.test(line);
      if (wasInside && !isInside) kept.push(...comments);
    }
    comments = isInside && /^[ \t]*#/.test(line) ? [...comments, line] : [];
    if (!isInside) kept.push(line);
  }
  const rest = kept.join('');
  // The empty line before a table at the end.
  return isInside ? rest.replace(/(\r?\n)\r?\n$/, '$1') : rest;
}

/** The start of a pattern for the header of a table. */
function tableHeader(path: string): string {
  return String.raw`^[ \t]*\[\[?[ \t]*${path.replace('.', String.raw`\s*\.\s*`)}`;
}

/** A table at the end of the file, after an empty line. */
function appended(text: string, table: string, eol: string): string {
  if (table === '') return text;
  if (text.trim() === '') return text + table;
  const gap = text.endsWith(`${eol}${eol}`) ? '' : text.endsWith(eol) ? eol : eol + eol;
  return text + gap + table;
}

/** @throws StartError for invalid TOML */
export function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new StartError(`Line ${error.line} is not valid TOML.`);
  }
}
