import { StartError } from '@deskside/core/errors';
import { PHONE_TOPIC, type PhoneTable, TOPIC_ERROR } from '../config/phone.ts';
import type { PhoneSettings } from '@deskside/page';
import { type SecretSources, secretsFrom } from '@deskside/gateway/config';

const PUBLIC_URL = 'https://ntfy.sh';
const AFTER_SECONDS = 60;

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
