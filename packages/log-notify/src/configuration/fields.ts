import { z } from 'zod';
import { contextOf } from '../message/contexts.ts';
import { LEVELS } from '../message/levels.ts';

const DURATION = /^(?<count>\d+(?:\.\d+)?)\s*(?<unit>ms|s|m|min|h|d)$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const SIZE = /^(?<count>\d+(?:\.\d+)?)\s*(?<unit>B|kB|KB|MB|GB)?$/;
const UNIT_BYTES: Readonly<Record<string, number>> = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9 };
const TIME = /^(?<hours>[01]?\d|2[0-3]):(?<minutes>[0-5]\d)$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export const level = z.enum(LEVELS, { error: `use one of ${LEVELS.join(', ')}` });

export const contexts = z
  .array(z.string(), { error: 'use a list of contexts, as in ["safety"]' })
  .transform((names) => names.map(contextOf));

/** Milliseconds, from `"60s"`; false is none. */
export const duration = parsed('use a duration such as "60s", "15m" or "1h", or false', (value) => {
  if (value === false) return 0;
  const { count, unit = '' } = typeof value === 'string' ? (DURATION.exec(value)?.groups ?? {}) : {};
  return count === undefined ? undefined : Number(count) * (UNIT_MS[unit] ?? 0);
});

/** Bytes, from `"10MB"`. */
export const size = parsed('use a size such as "10MB" or "500kB"', (value) => {
  const { count, unit = 'B' } = SIZE.exec(String(value))?.groups ?? {};
  const bytes = Number(count) * (UNIT_BYTES[unit] ?? 0);
  return count === undefined || bytes < 1 ? undefined : Math.floor(bytes);
});

/** Minutes after midnight, from `"22:00"`. */
export const timeOfDay = parsed('use a time of day such as "22:00"', (value) => {
  const { hours, minutes } = TIME.exec(String(value))?.groups ?? {};
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
});

export const rate = z.union(
  [z.literal(false), z.object({ burst: z.int().min(1), per_minute: z.number().positive() })],
  { error: 'use { burst = 5, per_minute = 10 }, or false for no limit' },
);

/** What is sent there is for the person alone: it travels encrypted, or not at all. */
export const address = parsed('use an https:// address, or http:// on this machine', (value) => {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  const isPrivate = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
  return isPrivate ? url : undefined;
});

function parsed<T>(error: string, parse: (value: unknown) => T | undefined) {
  return z.unknown().transform((value, ctx): T => {
    const result = parse(value);
    if (result !== undefined) return result;
    ctx.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });
}
