import { z } from 'zod';
import { verbosityOf } from '../filter/directive.ts';
import { TARGET_NAME } from '../filter/parse-filter.ts';
import { contextOf } from '../message/contexts.ts';
import { LEVELS } from '../message/levels.ts';
import { parsed } from './parsed.ts';

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

export const level = z.enum(LEVELS, { error: `use one of ${LEVELS.join(', ')}` });

/** Any text but an empty one. */
export function text(error: string) {
  return z.string({ error }).min(1, { error });
}

const CONTEXTS = 'use a list of contexts, as in ["safety"]';

export const context = text('use a context such as "safety"').transform(contextOf);

export const contexts = z
  .array(z.string({ error: CONTEXTS }), { error: CONTEXTS })
  .transform((names) => names.map(contextOf));

const TARGET = 'use a target such as "llm_notify::warn"';

/** Of a filter. */
export const target = z.string({ error: TARGET }).regex(TARGET_NAME, { error: TARGET });

/** How much a filter lets through. */
export const verbosity = parsed('use one of off, error, warn, info, debug, trace', (value) =>
  typeof value === 'string' ? verbosityOf(value) : undefined,
);

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
