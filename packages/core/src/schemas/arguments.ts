import * as z from 'zod';
import { isObject } from '../base/values.ts';
import { escapeInvisible } from '../text/index.ts';
import { UserError } from '../errors/index.ts';
import { jsonSchema } from './json-schema.ts';
import { definitionOf } from './schema-tree.ts';

type Given = Readonly<Record<string, unknown>>;

/**
 * Checks arguments. `null` for an optional argument means "not given", and an integer may be a string of digits: some
 * models and hosts send both. See docs/decisions/0030.
 *
 * @param rejected the error for invalid fields, which are then not corrected
 * @throws UserError INVALID_ARGUMENT that names the first invalid argument and what the tool accepts
 */
export function parseArguments<Input extends z.ZodObject>(
  input: Input,
  args: unknown,
  rejected?: (issues: readonly z.core.$ZodIssue[], given: Given) => unknown,
): z.output<Input> {
  const given = args ?? {};
  const strict = input.safeParse(given);
  if (strict.success) return strict.data;
  const isOfFields = strict.error.issues.every(({ path }) => path.length > 0);
  if (rejected !== undefined && isOfFields && isObject(given)) throw rejected(strict.error.issues, given);
  const corrected = corrections(input, given, strict.error);
  const { error, data } = corrected === undefined ? strict : input.safeParse(corrected);
  if (error === undefined) return data;
  const [issue] = error.issues;
  throw new UserError({
    error: sentenceFor(issue),
    code: 'INVALID_ARGUMENT',
    hint: hintFor(input, issue),
  });
}

type Issue = z.core.$ZodIssue;

/** @returns undefined if nothing can be corrected */
function corrections(
  { shape }: z.ZodObject,
  given: unknown,
  { issues }: z.ZodError,
): Record<string, unknown> | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const corrected: Record<string, unknown> = { ...given };
  const copies = new WeakSet<object>([corrected]);
  for (const { path } of issues) {
    const name = String(path[0]);
    const field = shape[name];
    if (field === undefined) continue;
    const value = corrected[name];
    if (path.length > 1) {
      const inner = fieldAt(field, path.slice(1));
      if (inner !== undefined && isOptional(inner) && !acceptsNull(inner))
        removeNull(corrected, path, copies);
    } else if (value === null && isOptional(field)) delete corrected[name];
    else if (typeof value === 'string' && INTEGER.test(value) && isInteger(field)) {
      corrected[name] = Number(value);
    }
  }
  return corrected;
}

/** The field of an object inside of an argument; undefined for what has no fixed fields. */
function fieldAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodType | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  const { type, innerType, element, shape } = definitionOf(schema);
  const field = type === 'object' ? shape?.[String(key)] : undefined;
  if (field !== undefined) return fieldAt(field, rest);
  if (type === 'array' && element !== undefined) return fieldAt(element, rest);
  const isWrapper = type === 'optional' || type === 'default' || type === 'nullable';
  return isWrapper && innerType !== undefined ? fieldAt(innerType, path) : undefined;
}

function acceptsNull(field: z.core.$ZodType): boolean {
  return z.safeParse(field, null).success;
}

/**
 * Removes a null inside of an argument.
 *
 * @param copies what belongs to the corrected arguments, not to those that were given
 */
function removeNull(corrected: object, path: readonly PropertyKey[], copies: WeakSet<object>): void {
  let container = corrected;
  for (const key of path.slice(0, -1)) {
    const inner: unknown = Reflect.get(container, key);
    if (typeof inner !== 'object' || inner === null) return;
    const copy = copies.has(inner) ? inner : Array.isArray(inner) ? [...(inner as unknown[])] : { ...inner };
    copies.add(copy);
    Reflect.set(container, key, copy);
    container = copy;
  }
  const last = path.at(-1);
  if (last === undefined || Array.isArray(container) || Reflect.get(container, last) !== null) return;
  Reflect.deleteProperty(container, last);
}

/** The schema of an integer rejects numbers that JavaScript rounds. */
const INTEGER = /^-?\d+$/;

function isOptional(field: z.core.$ZodType): boolean {
  // What is exactly optional may be absent, but not undefined.
  return definitionOf(field).type === 'optional' || z.safeParse(field, undefined).success;
}

function isInteger(field: z.core.$ZodType): boolean {
  const { type } = jsonSchema(field);
  return type === 'integer' || (Array.isArray(type) && type.includes('integer'));
}

function sentenceFor(issue: Issue | undefined): string {
  if (issue === undefined) return 'Invalid arguments.';
  const message = escapeInvisible(issue.message).replace(/\.$/, '');
  if (issue.path.length > 0) return `Invalid "${pathOf(issue)}": ${message}.`;
  if (issue.code === 'invalid_type') return 'Arguments must be an object.';
  if (issue.code !== 'unrecognized_keys') return `${message}.`;
  const [name = ''] = issue.keys;
  return `Unknown argument "${escapeInvisible(name)}".`;
}

function pathOf({ path }: Issue): string {
  return escapeInvisible(path.map(String).join('.'));
}

function hintFor(input: z.ZodObject, issue: Issue | undefined): string {
  const name = issue?.path[0];
  const field = name === undefined ? undefined : input.shape[String(name)];
  if (field === undefined) {
    return issue?.code === 'invalid_type'
      ? "Pass an object with the arguments of the tool's input schema."
      : `The tool's arguments are: ${Object.keys(input.shape).join(', ')}.`;
  }
  const { description, ...schema } = jsonSchema(field);
  const described = typeof description === 'string' ? `${description} ` : '';
  return `${described}Schema: ${JSON.stringify(schema)}`;
}
