import { StartError } from '@deskside/core/errors';
import { PHONE_TOPIC, type PhoneTable, TOPIC_ERROR } from '../config/phone.ts';
import { type SecretSources, secretsFrom } from '../config/secrets.ts';

const PUBLIC_URL = 'https://ntfy.sh';
const AFTER_SECONDS = 60;

/** Where questions go that wait too long. */
export interface PhoneSettings {
  /** Of the ntfy server, without a slash at the end. */
  readonly url: string;
  readonly topic: string;
  readonly token?: string | undefined;
  /** May only write to the topics of answers: it goes to the phone. */
  readonly replyToken?: string | undefined;
  readonly afterMs: number;
  /** False at the public server without an access token: everyone who knows the topic can read it. */
  readonly hasTexts: boolean;
}

/** @throws StartError that names a missing variable or file, or a topic that cannot be used */
export async function phoneSettings(table: PhoneTable, sources: SecretSources): Promise<PhoneSettings> {
  const { resolve } = secretsFrom(sources);
  const url = (table.url ?? PUBLIC_URL).replace(/\/$/, '');
  const topic = await resolve(table.topic);
  if (!PHONE_TOPIC.test(topic)) throw new StartError(`The topic of [phone] cannot be used: ${TOPIC_ERROR}.`);
  const token = table.token === undefined ? undefined : await resolve(table.token);
  const replyToken = table.reply_token === undefined ? undefined : await resolve(table.reply_token);
  const afterMs = (table.after_seconds ?? AFTER_SECONDS) * 1000;
  const hasTexts = token !== undefined || new URL(url).host !== new URL(PUBLIC_URL).host;
  return { url, topic, token, replyToken, afterMs, hasTexts };
}
