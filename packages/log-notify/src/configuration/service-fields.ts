import { z } from 'zod';
import { text } from './fields.ts';
import { parsed } from './parsed.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** What is sent there is for the person alone: it travels encrypted, or not at all. */
export const address = parsed('use an https:// address, or http:// on this machine', (value) => {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  const isPrivate = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
  return isPrivate ? url : undefined;
});

/** Before the base64 of a key, in the secrets of Standard Webhooks. */
const KEY_PREFIX = 'whsec_';
/** Bytes of a key, as Standard Webhooks wants them. */
const [SHORTEST_KEY, LONGEST_KEY] = [24, 64];

/** What webhooks are signed with. */
export const secret = text('use a text').refine(isKeyOrText, {
  error: `use ${KEY_PREFIX} and the base64 of ${SHORTEST_KEY} to ${LONGEST_KEY} bytes, or a text of your own`,
});

function isKeyOrText(value: string): boolean {
  if (!value.startsWith(KEY_PREFIX)) return true;
  const encoded = value.slice(KEY_PREFIX.length);
  const { length } = Buffer.from(encoded, 'base64');
  // Buffer skips what is no base64, down to an empty key.
  return z.base64().safeParse(encoded).success && length >= SHORTEST_KEY && length <= LONGEST_KEY;
}

const TOKEN = 'use the token as the service shows it, in ASCII and without blanks';

export const token = z.string({ error: TOKEN }).regex(/^[\x21-\x7E]+$/, { error: TOKEN });

const HEADER_VALUE = 'use a text of printable ASCII characters';

/** What the sink or the transport says itself: set twice, it would be wrong. */
const OWN_HEADERS = new Set([
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

export const headers = z
  .record(z.string(), z.string({ error: HEADER_VALUE }).regex(/^[\t\x20-\x7E]*$/, { error: HEADER_VALUE }), {
    error: 'use a table such as { authorization = "Bearer …" }',
  })
  .superRefine((value, ctx) => {
    for (const name of Object.keys(value)) {
      const problem = problemOf(name);
      if (problem !== undefined) ctx.addIssue({ code: 'custom', path: [name], message: problem });
    }
  });

function problemOf(name: string): string | undefined {
  if (!/^[\w-]+$/.test(name)) return 'use letters, digits, _ and - in the name of a header';
  return OWN_HEADERS.has(name.toLowerCase()) ? "this header can't be set" : undefined;
}
