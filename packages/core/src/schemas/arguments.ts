import * as z from 'zod';
import { parsedJson } from '../base/json.ts';
import { isObject } from '../base/values.ts';
import { escapeInvisible, truncateCodePoints } from '../text/index.ts';
import { UserError } from '../errors/index.ts';
import { jsonSchema } from './json-schema.ts';
import { definitionOf } from './schema-tree.ts';

type Given = Readonly<Record<string, unknown>>;
type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** A correction can show the next fault: a text that was JSON contains a null. */
const MAX_CORRECTIONS = 3;
/** Of the JSON of a refusal. A model reads it in the middle of its work. */
const MAX_REFUSAL_CHARACTERS = 399;
const MAX_SENTENCE_CODE_POINTS = 200;

/**
 * Checks arguments. Some models and hosts send `null` for an optional argument, an integer as a string of digits, and an object
 * or array as JSON text: these are corrected. See docs/decisions/0030.
 *
 * @param rejected the error for invalid fields, which are then not corrected
 * @throws UserError INVALID_ARGUMENT that names the first invalid argument and what the tool accepts
 */
export function parseArguments<Input extends z.ZodType>(
  input: Input,
  args: unknown,
  rejected?: (issues: readonly Issue[], given: Given) => unknown,
): z.output<Input> {
  let given: unknown = args ?? {};
  let result = input.safeParse(given);
  if (!result.success && rejected !== undefined && isObject(given)) {
    const { issues } = result.error;
    if (issues.every(({ path }) => path.length > 0)) throw rejected(issues, given);
  }
  for (let round = 0; !result.success && round < MAX_CORRECTIONS; round += 1) {
    const corrected = corrections(input, given, result.error.issues);
    if (corrected === undefined) break;
    given = corrected;
    result = input.safeParse(given);
  }
  if (result.success) return result.data;
  throw refusal(input, given, result.error.issues[0]);
}

/** @returns undefined if nothing can be corrected */
function corrections(input: z.core.$ZodType, given: unknown, issues: readonly Issue[]): object | undefined {
  if (!isObject(given)) return undefined;
  const corrected = structuredClone(given);
  let isCorrected = false;
  for (const { path } of issues) {
    const field = path.length === 0 ? undefined : fieldAt(input, path, given);
    const container = path.slice(0, -1).reduce<unknown>((inner, name) => Object(inner)[name], corrected);
    const key = path.at(-1);
    if (field === undefined || key === undefined || typeof container !== 'object' || container === null)
      continue;
    const value: unknown = Reflect.get(container, key);
    const isLeftOut =
      value === null && !Array.isArray(container) && isOptional(field) && !accepts(field, null);
    const better = typeof value === 'string' ? readText(field, value) : undefined;
    if (isLeftOut) Reflect.deleteProperty(container, key);
    else if (better !== undefined) Reflect.set(container, key, better);
    isCorrected ||= isLeftOut || better !== undefined;
  }
  return isCorrected ? corrected : undefined;
}

/** The schema of a value inside of the arguments; undefined for what has no fixed fields. */
function fieldAt(schema: z.core.$ZodType, path: Path, given: unknown): z.core.$ZodType | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  const { type, innerType, element, shape, discriminator } = definitionOf(schema);
  const inside: unknown = typeof given === 'object' && given !== null ? Reflect.get(given, key) : undefined;
  const field = type === 'array' ? element : shape?.[String(key)];
  if (field !== undefined) return fieldAt(field, rest, inside);
  const isWrapper = type === 'optional' || type === 'default' || type === 'nullable';
  const wrapped = isWrapper ? innerType : undefined;
  const other = discriminator === undefined ? wrapped : memberFor(schema, given);
  return other && fieldAt(other, path, given);
}

/** The member of a union that the discriminator of a value names. */
function memberFor(union: z.core.$ZodType, given: unknown): z.core.$ZodType | undefined {
  const { options = [], discriminator = '' } = definitionOf(union);
  return options.find((member) => {
    const { shape, options: inner } = definitionOf(member);
    if (inner !== undefined) return memberFor(member, given) !== undefined;
    const field = shape?.[discriminator];
    return field !== undefined && isObject(given) && accepts(field, given[discriminator]);
  });
}

/** The schema of an integer rejects numbers that JavaScript rounds. */
const INTEGER = /^-?\d+$/;
const COMPOUND = /^\s*[[{]/;

/** @returns the integer, object or array that a text stands for; undefined if the field takes texts, or none of these */
function readText(field: z.core.$ZodType, text: string): unknown {
  const schema = jsonSchema(field);
  if (INTEGER.test(text)) return canBe(schema, 'integer') ? Number(text) : undefined;
  return COMPOUND.test(text) && !canBe(schema, 'string') ? parsedJson(text) : undefined;
}

/** True also for a schema that does not say which types it accepts, except for an integer. */
function canBe({ type, anyOf, oneOf }: Given, wanted: 'integer' | 'string'): boolean {
  if (type !== undefined) return type === wanted || (Array.isArray(type) && type.includes(wanted));
  const members = anyOf ?? oneOf;
  if (wanted === 'integer') return false;
  return !Array.isArray(members) || members.some((member) => isObject(member) && canBe(member, wanted));
}

function isOptional(field: z.core.$ZodType): boolean {
  // What is exactly optional may be absent, but not undefined.
  return definitionOf(field).type === 'optional' || accepts(field, undefined);
}

function accepts(field: z.core.$ZodType, value: unknown): boolean {
  return z.safeParse(field, value).success;
}

function refusal(input: z.core.$ZodType, given: unknown, issue: Issue | undefined): UserError {
  const error = sentenceFor(issue);
  const failures = hintsFor(input, given, issue).map((hint) => ({ error, code: 'INVALID_ARGUMENT', hint }));
  const short = failures.find((failure) => JSON.stringify(failure).length <= MAX_REFUSAL_CHARACTERS);
  const subject = issue === undefined || issue.path.length === 0 ? '' : `"${pathOf(issue)}" in `;
  return new UserError(
    short ?? { error, code: 'INVALID_ARGUMENT', hint: `See ${subject}the tool's input schema.` },
  );
}

function sentenceFor(issue: Issue | undefined): string {
  if (issue === undefined) return 'Invalid arguments.';
  const text = escapeInvisible(issue.message).replace(/\.$/, '');
  const message = truncateCodePoints(text, MAX_SENTENCE_CODE_POINTS);
  if (issue.path.length > 0) return `Invalid "${pathOf(issue)}": ${message}.`;
  if (issue.code === 'invalid_type') return 'Arguments must be an object.';
  if (issue.code !== 'unrecognized_keys') return `${message}.`;
  const [name = ''] = issue.keys;
  return `Unknown argument "${shown(name)}".`;
}

function pathOf({ path }: Issue): string {
  return shown(path.map(String).join('.'));
}

function shown(name: string): string {
  return truncateCodePoints(escapeInvisible(name), MAX_SENTENCE_CODE_POINTS);
}

/** What the tool accepts, the most helpful text first. */
function hintsFor(input: z.core.$ZodType, given: unknown, issue: Issue | undefined): readonly string[] {
  const paths = issue === undefined ? [] : [issue.path.slice(0, 1), issue.path];
  const fields = paths.flatMap((path) => (path.length === 0 ? [] : (fieldAt(input, path, given) ?? [])));
  if (fields.length > 0) return fields.map((field) => described(field, issue));
  return issue?.code === 'invalid_type'
    ? ["Pass an object with the arguments of the tool's input schema."]
    : [`The tool's arguments are: ${argumentNames(input).join(', ')}.`];
}

function described(field: z.core.$ZodType, issue: Issue | undefined): string {
  const { description, ...schema } = jsonSchema(field);
  // Zod accepts more URLs than JSON Schema, so the listing has no format of them.
  const isUnsaid = issue?.code === 'invalid_format' && !('format' in schema) && !('pattern' in schema);
  const format = isUnsaid ? { format: issue.format === 'url' ? 'uri' : issue.format } : {};
  const text = typeof description === 'string' ? `${description} ` : '';
  return `${text}Schema: ${JSON.stringify({ ...schema, ...format })}`;
}

function argumentNames(input: z.core.$ZodType): readonly string[] {
  const { shape = {}, options = [] } = definitionOf(input);
  return [...new Set([Object.keys(shape), ...options.map(argumentNames)].flat())];
}
