import type { z } from 'zod';
import { neutralize } from '../message/neutralize.ts';

/** Code points of a name in the file that a problem shows. */
const SHOWN = 80;

/**
 * Reads one table of the file. Settings that are unknown or wrong are reported, one sentence each.
 *
 * @param cost what a wrong setting costs: that setting, or the whole table
 * @returns undefined where the table is left out, which is reported too
 */
export function readTable<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
  path: string,
  problems: string[],
  cost: 'setting' | 'table',
): z.output<Schema> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const example = /\d$/.test(path) ? '' : `, as in [${path}]`;
    problems.push(`${path} must be a table${example}.`);
    return undefined;
  }
  const known = Object.keys(schema.shape);
  for (const key of Object.keys(value).filter((key) => !known.includes(key))) {
    problems.push(`${path}.${neutralize(key, SHOWN)} is unknown; there are ${known.join(', ')}.`);
  }
  const first = schema.safeParse(value);
  if (first.success) return first.data;
  const wrong = new Set(first.error.issues.map((issue) => String(issue.path[0])));
  for (const issue of first.error.issues) {
    problems.push(`${path}.${neutralize(issue.path.join('.'), SHOWN)}: ${issue.message}.`);
  }
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !wrong.has(key)));
  const second = cost === 'setting' ? schema.safeParse(rest) : first;
  if (!second.success) problems.push(`${path} is left out.`);
  return second.success ? second.data : undefined;
}
