import { z } from 'zod';
import { TARGET_NAME, parseVerbosity } from '../filter/filter.ts';
import { LEVELS, normalizeContext } from '../notification/notification.ts';

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

/** A field that a function parses; undefined from it is the error. */
function parsed<T>(error: string, parse: (value: unknown) => T | undefined) {
  return z.unknown().transform((value, ctx): T => {
    const result = parse(value);
    if (result !== undefined) return result;
    ctx.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });
}

/** A string that is not empty. */
export function text(error: string) {
  return z.string({ error }).min(1, { error });
}

export const level = z.enum(LEVELS, { error: `use one of ${LEVELS.join(', ')}` });

export const context = text('use a context such as "safety"').transform(normalizeContext);

const CONTEXTS_ERROR = 'use a list of contexts, for example ["safety"]';

export const contexts = z
  .array(z.string({ error: CONTEXTS_ERROR }), { error: CONTEXTS_ERROR })
  .transform((names) => names.map(normalizeContext));

const TARGET_ERROR = 'use a target such as "llm_notify::warn"';

/** Target of a filter directive. */
export const target = z.string({ error: TARGET_ERROR }).regex(TARGET_NAME, { error: TARGET_ERROR });

/** Verbosity of a filter directive. */
export const verbosity = parsed('use one of off, error, warn, info, debug, trace', (value) =>
  typeof value === 'string' ? parseVerbosity(value) : undefined,
);

/** Milliseconds, from `"60s"`; false becomes 0. */
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

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** URL of a service. Notifications are private: they leave the machine encrypted only. */
export const address = parsed('use an https:// URL, or an http:// URL on this machine', (value) => {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  const isPrivate = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
  return isPrivate ? url : undefined;
});

/** Prefix of a base64 key in Standard Webhooks. */
const KEY_PREFIX = 'whsec_';
/** Limits of Standard Webhooks. */
const [MIN_KEY_BYTES, MAX_KEY_BYTES] = [24, 64];

/** Key that signs webhooks. */
export const secret = text('use a string').refine(isKeyOrText, {
  error: `use ${KEY_PREFIX} and the base64 of ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes, or any other text`,
});

function isKeyOrText(value: string): boolean {
  if (!value.startsWith(KEY_PREFIX)) return true;
  const encoded = value.slice(KEY_PREFIX.length);
  const { length } = Buffer.from(encoded, 'base64');
  // Buffer skips characters outside base64, so an invalid key could be empty.
  return z.base64().safeParse(encoded).success && length >= MIN_KEY_BYTES && length <= MAX_KEY_BYTES;
}

const TOKEN_ERROR = 'use the token exactly as the service shows it: printable ASCII without spaces';

export const token = z.string({ error: TOKEN_ERROR }).regex(/^[\x21-\x7E]+$/, { error: TOKEN_ERROR });

const HEADER_VALUE_ERROR = 'use printable ASCII characters';

/** The sink or the transport sets these; a second value would be wrong. */
const RESERVED_HEADERS = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
]);

const headerValue = z
  .string({ error: HEADER_VALUE_ERROR })
  .regex(/^[\t\x20-\x7E]*$/, { error: HEADER_VALUE_ERROR });

export const headers = z
  .record(z.string(), headerValue, { error: 'use a table such as { authorization = "Bearer …" }' })
  .superRefine((value, ctx) => {
    for (const name of Object.keys(value)) {
      const problem = headerProblem(name);
      if (problem !== undefined) ctx.addIssue({ code: 'custom', path: [name], message: problem });
    }
  });

function headerProblem(name: string): string | undefined {
  if (!/^[\w-]+$/.test(name)) return 'use letters, digits, _ and - in the name of a header';
  return RESERVED_HEADERS.has(name.toLowerCase()) ? 'this header cannot be set' : undefined;
}
