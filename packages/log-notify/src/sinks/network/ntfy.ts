import { datedTitle } from '../../notification/display.ts';
import type { Level } from '../../notification/notification.ts';
import { fittingLines } from '../../notification/safe-text.ts';
import type { PostFor } from './service-sink.ts';

export interface NtfyOptions {
  readonly url?: URL | undefined;
  readonly topic: string;
  readonly token?: string | undefined;
}

const DEFAULT_URL = new URL('https://ntfy.sh');

const MAX_CODE_POINTS = 1000;
/** ntfy turns a longer message into an attachment. */
const MAX_MESSAGE_BYTES = 4096;

function isMessage(text: string): boolean {
  return Buffer.byteLength(JSON.stringify(text)) <= MAX_MESSAGE_BYTES;
}

const PRIORITIES: Readonly<Record<Level, number>> = { info: 2, warn: 3, error: 5 };
const TAGS: Readonly<Record<Level, string>> = {
  info: 'information_source',
  warn: 'warning',
  error: 'rotating_light',
};

/** An ntfy server. The texts are sent as JSON, not as headers. */
export function ntfy({ url = DEFAULT_URL, topic, token }: NtfyOptions): PostFor {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return (notification, now) => ({
    url,
    headers,
    body: JSON.stringify({
      topic,
      title: datedTitle(notification, now),
      message: fittingLines(notification.message, MAX_CODE_POINTS, isMessage),
      markdown: true,
      priority: PRIORITIES[notification.level],
      tags: [TAGS[notification.level]],
    }),
  });
}
