import { isPrivateHost } from '@deskside/desktop';
import * as z from 'zod';
import { numberUpTo, withSecrets, withoutReferences } from '@deskside/gateway/config';

const MAX_AFTER_SECONDS = 3600;
const URL_ERROR = 'use the address of an ntfy server, such as https://ntfy.example.com';
const HTTP_ERROR = 'use an https:// URL: http:// is only for this machine and private networks';
/** Also a test for what a reference has given. */
export const PHONE_TOPIC = /^[\w-]{1,64}$/;
export const TOPIC_ERROR = 'use 1 to 64 letters, digits, "_" and "-"';

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
