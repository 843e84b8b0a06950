import * as z from 'zod';
import { TARGETS, parseVerbosity } from '../filter/filter.ts';
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

const TARGET_ERROR = `use one of ${TARGETS.join(', ')}`;

/** Target of a filter directive. */
export const target = z.enum(TARGETS, { error: TARGET_ERROR });

/** Verbosity of a filter directive. */
export const verbosity = parsed('use one of off, error, warn, info, debug, trace', (value) =>
  typeof value === 'string' || typeof value === 'number' ? parseVerbosity(String(value)) : undefined,
);

const MAX_DURATION_MS = 7 * 86_400_000;

/** Milliseconds, from `"60s"`; false becomes 0. */
export const duration = parsed(
  'use a duration such as "60s", "15m" or "1h", at most "7d", or false',
  (value) => {
    if (value === false) return 0;
    const { count, unit = '' } = typeof value === 'string' ? (DURATION.exec(value)?.groups ?? {}) : {};
    const durationMs = Number(count) * (UNIT_MS[unit] ?? 0);
    return count === undefined || durationMs > MAX_DURATION_MS ? undefined : durationMs;
  },
);

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

/** Private IPv4 and IPv6 addresses, and names that no public DNS has. */
const PRIVATE_NETWORK = [
  /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(?:\.\d{1,3}){2,3}$/,
  /^\[f(?:[cd][\da-f]{2}|e[89ab][\da-f]):/,
  /^[\w-]+$/,
  /\.(?:local|lan|home|internal|intranet|home\.arpa|ts\.net)$/,
];

/** URL of a service. */
export const address = parsed('use an https:// URL', (value) => {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
});

/**
 * Notifications are private: they leave the machine encrypted, unless the person allows plain HTTP inside a private
 * network.
 *
 * @returns a problem, or undefined
 */
export function addressProblem({ protocol, hostname }: URL, insecureHttp: boolean): string | undefined {
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return undefined;
  const isPrivate = PRIVATE_NETWORK.some((pattern) => pattern.test(hostname));
  if (!isPrivate) return 'use an https:// URL: http:// is only for this machine and private networks';
  if (insecureHttp) return undefined;
  return 'use an https:// URL, or set insecure_http = true to send it unencrypted inside your network';
}

/** Prefix of a base64 key in Standard Webhooks. */
const KEY_PREFIX = 'whsec_';
/** Limits of Standard Webhooks. */
const [MIN_KEY_BYTES, MAX_KEY_BYTES] = [24, 64];

/** Key that signs webhooks, in the form that every library of Standard Webhooks accepts. */
export const secret = parsed(
  `use ${KEY_PREFIX} and the base64 of ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes. Create one with: echo "${KEY_PREFIX}$(openssl rand -base64 32)"`,
  (value) => (typeof value === 'string' && isKey(value) ? value : undefined),
);

function isKey(value: string): boolean {
  if (!value.startsWith(KEY_PREFIX)) return false;
  const encoded = value.slice(KEY_PREFIX.length);
  const { length } = Buffer.from(encoded, 'base64');
  // Buffer skips characters outside base64, so an invalid key could be empty.
  return z.base64().safeParse(encoded).success && length >= MIN_KEY_BYTES && length <= MAX_KEY_BYTES;
}

const TOPIC_ERROR = 'use 1 to 64 letters, digits, _ and -';

/** Topic of ntfy. */
export const topic = z.string({ error: TOPIC_ERROR }).regex(/^[\w-]{1,64}$/, { error: TOPIC_ERROR });

const BOT_TOKEN_ERROR = 'use the token that @BotFather shows, such as 123456:ABC-DEF';

/** Token of a Telegram bot. It becomes a part of a URL. */
export const botToken = z
  .string({ error: BOT_TOKEN_ERROR })
  .regex(/^\d+:[\w-]+$/, { error: BOT_TOKEN_ERROR });

const CHAT_ERROR = 'use the number of a chat, or the @name of a channel';

/** Chat of Telegram. */
export const chat = parsed(CHAT_ERROR, (value) => {
  const id = String(value);
  return /^(?:-?\d+|@\w+)$/.test(id) ? id : undefined;
});

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
