import { isLoopbackHost, isPrivateHost, type Rate, redact } from '@deskside/desktop';
import * as z from 'zod';
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

/** A field that a function parses; undefined from it is the error. */
export function parsed<T>(error: string, parse: (value: unknown) => T | undefined) {
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

const CONTEXTS_ERROR = 'use a list of contexts, for example ["safety"]';

const contexts = () =>
  z
    .array(z.string({ error: CONTEXTS_ERROR }), { error: CONTEXTS_ERROR })
    .transform((names) => names.map(normalizeContext));

const MAX_DURATION_MS = 7 * 86_400_000;

/** Milliseconds, from `"60s"`; false becomes 0. */
export function duration() {
  return parsed('use a duration such as "60s", "15m" or "1h", at most "7d", or false', (value) => {
    if (value === false) return 0;
    const { count, unit = '' } = typeof value === 'string' ? (DURATION.exec(value)?.groups ?? {}) : {};
    const durationMs = Number(count) * (UNIT_MS[unit] ?? 0);
    return count === undefined || durationMs > MAX_DURATION_MS ? undefined : durationMs;
  });
}

const rate = () =>
  z
    .union([z.literal(false), z.object({ burst: z.int().min(1), per_minute: z.number().positive() })], {
      error: 'use { burst = 5, per_minute = 10 }, or false for no limit',
    })
    .transform((value): Rate | false => value && { burst: value.burst, perMinute: value.per_minute });

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
 * @param insecureHttp undefined: the setting is a variable, which has no such setting beside it
 * @returns a problem, or undefined
 */
export function addressProblem(
  { protocol, hostname }: URL,
  insecureHttp: boolean | undefined,
): string | undefined {
  if (protocol === 'https:' || isLoopbackHost(hostname)) return undefined;
  if (!isPrivateHost(hostname))
    return 'use an https:// URL: http:// is only for this machine and private networks';
  if (insecureHttp === true) return undefined;
  const place = insecureHttp === undefined ? 'set up the service in log-notify.toml with' : 'set';
  return `use an https:// URL, or ${place} insecure_http = true to send it unencrypted inside your network`;
}

/** A URL without what may be secret: credentials, path and query. */
export function originOf(url: URL): string {
  return redact(url.origin);
}

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

export function headers() {
  const headerValue = z
    .string({ error: HEADER_VALUE_ERROR })
    .regex(/^[\t\x20-\x7E]*$/, { error: HEADER_VALUE_ERROR });
  return z
    .record(z.string(), headerValue, { error: 'use a table such as { authorization = "Bearer …" }' })
    .superRefine((value, ctx) => {
      for (const name of Object.keys(value)) {
        const problem = headerProblem(name);
        if (problem !== undefined) ctx.addIssue({ code: 'custom', path: [name], message: problem });
      }
    });
}

function headerProblem(name: string): string | undefined {
  if (!/^[\w-]+$/.test(name)) return 'use letters, digits, _ and - in the name of a header';
  return RESERVED_HEADERS.has(name.toLowerCase()) ? 'this header cannot be set' : undefined;
}

const switched = () => z.boolean({ error: 'use true or false' }).optional();

/** Settings of every sink. A missing setting has the default of that sink. */
export const policySettings = () => ({
  enabled: switched(),
  level: z.enum(LEVELS, { error: `use one of ${LEVELS.join(', ')}` }).optional(),
  contexts: contexts().optional(),
  exclude_contexts: contexts().optional(),
  rate: rate().optional(),
  fold: duration().optional(),
  digest: duration().optional(),
});

export type PolicySettings = z.output<z.ZodObject<ReturnType<typeof policySettings>>>;

const NAME_ERROR = 'use up to 40 letters, digits, spaces, _ and -';

/** Settings of every service, besides those of every sink. */
export const serviceSettings = () => ({
  name: z
    .string({ error: NAME_ERROR })
    .regex(/^[\w -]{1,40}$/, { error: NAME_ERROR })
    .optional(),
  insecure_http: switched(),
});
