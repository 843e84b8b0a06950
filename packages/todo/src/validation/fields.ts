// What arguments, flags and files can be, each as one schema. The messages are the contract's texts; a message beyond the contract
// has its hint on a second line. Which schema is listed is the tool's business.
import { parseWallTime } from '@deskside/core/dates';
import { codePointLength, isBlank } from '@deskside/core/text';
import * as z from 'zod';
import { everyOf } from '../store/recurrence.ts';
import { wordsOf } from '../store/words.ts';
import { RejectedCall, rejectionOf, taskNotFound } from './rejected-call.ts';

export const MAX_TITLE_CODE_POINTS = 200;
export const MAX_DESCRIPTION_CODE_POINTS = 1000;
export const MAX_KEY_CODE_POINTS = 200;
/** Default and maximum of `limit`. */
export const MAX_PAGE_TASKS = 500;
/** More words than a person searches for. */
const MAX_QUERY_WORDS = 20;
const MAX_QUERY_CODE_POINTS = 200;
const MAX_AFTER = 20;
export const DEFAULT_LEASE_MINUTES = 30;
export const MAX_LEASE_MINUTES = 1440;
const MINUTE_MS = 60_000;

/** Integers as JSON writes them: `7`, not `07`, `7.0` or `7e0`. */
const INTEGER_TEXT = /^-?(?:0|[1-9]\d*)$/;
/** No dates of antiquity: databases disagree about the year 0. */
const DATE = /^[1-9]\d{3}-\d{2}-\d{2}$/;

/** Null means another value. */
function nullAs<Schema extends z.ZodType>(value: unknown, schema: Schema) {
  return z.preprocess((given) => (given === null ? value : given), schema);
}

function digitsAsInteger(given: unknown): unknown {
  return typeof given === 'string' && INTEGER_TEXT.test(given) ? Number(given) : given;
}

/** @returns a schema of the trimmed text, '' for one that shows nothing; U+FFFD replaces half a surrogate pair, as in UTF-8 */
function text(name: string, maxCodePoints: number, missing?: string) {
  const error = ({ input }: { readonly input?: unknown }) =>
    input === undefined && missing !== undefined ? missing : `${name} must be a string`;
  return z.string({ error }).transform((given, context) => {
    const trimmed = given.trim();
    if (codePointLength(trimmed) > maxCodePoints)
      context.addIssue(`${name} exceeds ${maxCodePoints} characters`);
    else if (trimmed.includes('\0')) context.addIssue(`${name} cannot contain the character U+0000`);
    return isBlank(trimmed) ? '' : trimmed.toWellFormed();
  });
}

const EMPTY = 'Title cannot be empty';
export const title = text('Title', MAX_TITLE_CODE_POINTS, EMPTY).refine((given) => given !== '', EMPTY);

/** Null means: not given. */
export const newTitle = nullAs(undefined, title.optional());

/** A blank text and null clear it. */
export const description = nullAs(
  '',
  text('Description', MAX_DESCRIPTION_CODE_POINTS)
    .transform((given) => (given === '' ? null : given))
    .optional(),
);

/** A text that a function reads; '' and null clear it. */
function cleared(error: string, read: (given: string) => string | undefined) {
  const schema = z.string({ error }).transform((given, context) => {
    const trimmed = given.trim();
    const value = trimmed === '' ? null : read(trimmed);
    if (value === undefined) context.addIssue(error);
    return value ?? null;
  });
  return nullAs('', schema.optional());
}

/** `2026-11-30` */
export function dueDate(argument = 'due_date') {
  const example = `Pass ${argument} as year, month and day, for example 2026-11-30.`;
  return cleared(`${argument} must be a date that exists\n${example}`, (given) =>
    DATE.test(given) && parseWallTime(given) !== undefined ? given : undefined,
  );
}

/** `2 weeks` */
export function every(argument = 'every') {
  const forms =
    'day, weekday, week, month or year, 2 to 99 days, weeks, months or years, or days such as mon and thu';
  const example = `Pass ${argument} as text, for example "week", "2 weeks", "month on 31" or "mon and thu".`;
  return cleared(`${argument} must be ${forms}\n${example}`, everyOf);
}

/** Null and 0 clear it. Any other value is ignored: a contract-only call may have such an argument. */
export const priority = z.preprocess((given) => {
  if (given === null || given === 0 || given === '0') return null;
  return [1, 2, 3].find((known) => known === given || String(known) === given);
}, z.int().nullable().optional());

const AFTER = `after must be a list of up to ${MAX_AFTER} task ids\nPass the ids as numbers, for example [3, 4].`;

/** Ids of tasks, each one once. */
export const after = nullAs(
  undefined,
  z
    .array(z.unknown(), AFTER)
    .refine((given) => given.length <= MAX_AFTER, AFTER)
    .transform((given) => given.map(digitsAsInteger))
    .pipe(z.array(z.int(AFTER).positive(AFTER)))
    .transform((ids): readonly number[] => [...new Set(ids)])
    .optional(),
);

const KEY = `idempotency_key must be a text of 1 to ${MAX_KEY_CODE_POINTS} characters\nPass a new random key for each task, for example a UUID, or omit it.`;

export const idempotencyKey = nullAs(
  undefined,
  z
    .string(KEY)
    .refine((key) => key.trim() !== '' && !key.includes('\0') && key.length <= 2 * MAX_KEY_CODE_POINTS, KEY)
    .refine((key) => codePointLength(key) <= MAX_KEY_CODE_POINTS, KEY)
    .transform((key) => key.toWellFormed())
    .optional(),
);

/** Any other status means all tasks. */
export const status = z.preprocess(
  (given) => (given === 'pending' || given === 'completed' ? given : 'all'),
  z.enum(['all', 'pending', 'completed']),
);

const LIMIT = `limit must be an integer >= 1\nPass a limit from 1 to ${MAX_PAGE_TASKS}, or omit it for ${MAX_PAGE_TASKS}.`;

/** A larger one means the maximum. */
export const limit = z.preprocess(
  (given) => {
    const number = digitsAsInteger(given ?? MAX_PAGE_TASKS);
    return Number.isInteger(number) && Number(number) > MAX_PAGE_TASKS ? MAX_PAGE_TASKS : number;
  },
  z.int(LIMIT).min(1, LIMIT),
);

const AFTER_ID = 'after_id must be a task id\nPass the last id of the previous page as a number.';
export const afterId = z.preprocess(
  (given) => digitsAsInteger(given ?? undefined),
  z.int(AFTER_ID).optional(),
);

const LEASE = `lease_minutes must be an integer >= 1\nPass a number from 1 to ${MAX_LEASE_MINUTES}, or omit it for ${DEFAULT_LEASE_MINUTES}.`;

/** Milliseconds. */
export const lease = z
  .preprocess((given) => digitsAsInteger(given ?? DEFAULT_LEASE_MINUTES), z.int(LEASE).min(1, LEASE))
  .transform((minutes) => Math.min(minutes, MAX_LEASE_MINUTES) * MINUTE_MS);

const QUERY = `query must be a text with 1 to ${MAX_QUERY_WORDS} words of letters or digits\nPass the first letters of one or more words, for example "milk groc", or omit it.`;

/** The words of a search; undefined for a blank text and null. */
export const query = z.preprocess(
  (given) => given ?? '',
  z
    .string(QUERY)
    .refine((given) => given.length <= 2 * MAX_QUERY_CODE_POINTS, QUERY)
    .transform((given) =>
      given.trim() === '' ? undefined : wordsOf(given.replaceAll('\0', ' ').toWellFormed()),
    )
    .refine((words) => words === undefined || (words.length > 0 && words.length <= MAX_QUERY_WORDS), QUERY),
);

export const ready = z.preprocess((given) => given === true || given === 'true', z.boolean());

const PROJECT = 'project must be a text\nPass the name of a project, or omit it.';
export const project = z.preprocess(
  (given) => given ?? '',
  z
    .string(PROJECT)
    .refine((name) => !name.includes('\0'), PROJECT)
    .transform((name) => (name === '' ? undefined : name.toWellFormed())),
);

/** Reads a value that is no argument of a tool. @throws RejectedCall */
export function read<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const { error, data } = schema.safeParse(given);
  if (error !== undefined) throw rejectionOf(error.issues[0]?.message ?? '');
  return data;
}

const taskId = z.preprocess(digitsAsInteger, z.int());

/** The task that a call names, checked after its other arguments. @throws RejectedCall */
export function readTaskId(given: unknown): number {
  const { data } = taskId.safeParse(given);
  if (data === undefined) throw new RejectedCall('task_not_found', taskNotFound(given));
  return data;
}
