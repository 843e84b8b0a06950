import { isObject } from '@deskside/core/base';
import leven from 'leven';
import type { TomlError } from 'smol-toml';
import type { z } from 'zod';

/** A problem of deskside.toml: `line 3: …`. */
export interface Problem {
  readonly line: number;
  readonly message: string;
}

/** Receives what is wrong with a value: one or more sentences, of which the last one is the remedy. */
export type Report = (path: readonly string[], message: string) => void;

export type Table = Readonly<Record<string, unknown>>;

/** The entries of a table of tables. */
export function entriesOf(path: readonly string[], table: unknown, report: Report): [string, unknown][] {
  if (table === undefined) return [];
  if (isObject(table)) return Object.entries(table);
  report(path, 'use tables.');
  return [];
}

/** The value if it is valid. Reports everything that is wrong with it. */
export function checked<Schema extends z.ZodObject>(
  schema: Schema,
  path: readonly string[],
  value: unknown,
  report: Report,
): z.output<Schema> | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys)
        report([...path, key], unknownKey(key, 'Keys', Object.keys(schema.shape)));
    } else {
      const inside = issue.path.filter((part) => typeof part === 'string');
      report([...path, ...inside], `${issue.message}.`);
    }
  }
  return undefined;
}

/** @param kind what the known keys are, for example `Tables` */
export function unknownKey(key: string, kind: string, known: readonly string[]): string {
  const close = known
    .map((name) => ({ name, distance: name.startsWith(`${key}_`) ? 1 : leven(key, name) }))
    .filter(({ name, distance }) => distance <= Math.max(2, name.length / 3))
    .toSorted((a, b) => a.distance - b.distance);
  const suggestion = close[0] === undefined ? '' : ` Did you mean "${close[0].name}"?`;
  return `unknown.${suggestion} ${kind}: ${known.length === 0 ? 'none' : known.join(', ')}.`;
}

/** Absent fields of the file do not become fields with the value undefined. */
export function withoutUndefined<T extends object>(
  value: T,
): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only fields with the value undefined are removed
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as {
    [Key in keyof T]: Exclude<T[Key], undefined>;
  };
}

/** Remedies by words of the parser's reasons. */
const SYNTAX: readonly (readonly [RegExp, string])[] = [
  [/redefine/, 'Merge both tables or values, or rename one.'],
  [/escape/, String.raw`Write \\ for a backslash, or use single quotes: 'C:\Users'.`],
  [/string/, 'Close the quotes in the same line.'],
  [/array|comma/, 'Close the list with "]" or the table with "}".'],
  [/key/, 'Write [table] or name = value.'],
  [/value|numeric|date/, 'Write texts in quotes: name = "text".'],
];

/** The reason why a text is not TOML, and the remedy. */
export function syntaxProblem({ line, message }: TomlError): Problem {
  const [first = ''] = message.split('\n');
  const reason = first.replace(/^Invalid TOML document: /, '') || 'invalid TOML';
  const [, remedy = 'Correct the line.'] = SYNTAX.find(([words]) => words.test(reason)) ?? [];
  return { line, message: `${reason}. ${remedy}` };
}
