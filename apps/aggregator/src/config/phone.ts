import { StartError } from '@deskside/core/errors';
import { isPrivateHost } from '@deskside/desktop';
import {
  numberUpTo,
  type SecretSources,
  secretsFrom,
  withSecrets,
  withoutReferences,
} from '@deskside/gateway/config';
import type { PhoneSettings } from '@deskside/page';
import * as z from 'zod';

const PUBLIC_URL = 'https://ntfy.sh';
const AFTER_SECONDS = 60;

const MAX_AFTER_SECONDS = 3600;
const URL_ERROR = 'use the address of an ntfy server, such as https://ntfy.example.com';
const HTTP_ERROR = 'use an https:// URL: http:// is only for this machine and private networks';
/** Also a test for what a reference has given. */
const PHONE_TOPIC = /^[\w-]{1,64}$/;
const TOPIC_ERROR = 'use 1 to 64 letters, digits, "_" and "-"';

/** `[phone]`: where questions go that wait too long. */
export const phoneTable = z.strictObject({
  topic: withSecrets.refine((text) => PHONE_TOPIC.test(withoutReferences(text)), { error: TOPIC_ERROR }),
  url: z
    .url({ protocol: /^https?$/, error: URL_ERROR })
    .refine((text) => /^https?:\/\/[^/?#@]+\/?$/.test(text), { error: URL_ERROR })
    .refine((text) => !text.startsWith('http:') || isPrivateHost(new URL(text).hostname), {
      error: HTTP_ERROR,
    })
    .optional(),
  token: withSecrets.optional(),
  reply_token: withSecrets.optional(),
  after_seconds: numberUpTo(MAX_AFTER_SECONDS, 'seconds').optional(),
});

export type PhoneTable = z.output<typeof phoneTable>;

/** @throws StartError that names a missing variable or file, or a topic that cannot be used */
export async function phoneSettings(table: PhoneTable, sources: SecretSources): Promise<PhoneSettings> {
  const { resolve } = secretsFrom(sources);
  const url = (table.url ?? PUBLIC_URL).replace(/\/$/, '');
  const topic = await resolve(table.topic);
  if (!PHONE_TOPIC.test(topic)) throw new StartError(`The topic of [phone] cannot be used: ${TOPIC_ERROR}.`);
  const token = table.token === undefined ? undefined : await resolve(table.token);
  const replyToken = table.reply_token === undefined ? undefined : await resolve(table.reply_token);
  const afterMs = (table.after_seconds ?? AFTER_SECONDS) * 1000;
  // Also with a full stop at its end, and with another port.
  const isPublic = new URL(url).hostname.replace(/\.$/, '') === new URL(PUBLIC_URL).hostname;
  const hasTexts = token !== undefined || !isPublic;
  return { url, topic, token, replyToken, afterMs, hasTexts };
}
