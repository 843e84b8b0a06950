import { datedTitle } from '../../notification/display.ts';
import type { Level } from '../../notification/notification.ts';
import { fittingLines } from '../../notification/safe-text.ts';
import { defineSink, type PostFor } from '../define-sink.ts';
import { address, originOf } from '../fields.ts';
import * as z from 'zod';

const DEFAULT_URL = new URL('https://ntfy.sh');

const TOPIC_ERROR = 'use 1 to 64 letters, digits, _ and -';

/** Topic of ntfy. */
const topic = z.string({ error: TOPIC_ERROR }).regex(/^[\w-]{1,64}$/, { error: TOPIC_ERROR });

const TOKEN_ERROR = 'use the token exactly as the service shows it: printable ASCII without spaces';

const token = z.string({ error: TOKEN_ERROR }).regex(/^[\x21-\x7E]+$/, { error: TOKEN_ERROR });

export const ntfy = defineSink({
  kind: 'ntfy',
  schema: () => ({ url: address.optional(), topic, token: token.optional() }),
  // Who knows a topic of a public server can read it.
  secrets: ['topic', 'token'],
  variables: {
    topic: {
      placeholder: 'TOPIC',
      description: 'Sends to this topic of ntfy. Use a name that no one can guess.',
    },
    url: { placeholder: 'URL', description: 'Your own ntfy server.', defaultText: DEFAULT_URL.origin },
    token: { placeholder: 'TOKEN', description: 'Access token of the ntfy server.' },
  },
  example: `
A message on your phone: install the app ntfy and subscribe to the topic. Use a topic that no one can guess.
[[ntfy]]
topic = "my-desk-7f3a9c"
level = "warn"
url = "https://ntfy.example.com"          # default: https://ntfy.sh
token = "tk_…"
`,
  describe: ({ topic, url = DEFAULT_URL }) => `topic ${topic.slice(0, 2)}… at ${originOf(url)}`,
  open({ url: shown = DEFAULT_URL, topic, token }, { service }) {
    // The apps show the URL of the topic, which takes JSON as plain text.
    const url = new URL(shown);
    url.pathname = url.pathname.replace(new RegExp(`/${topic}/?$`), '');
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const postFor: PostFor = (notification, now) => ({
      url,
      headers,
      refusal: NTFY_REFUSAL,
      body: JSON.stringify({
        topic,
        title: datedTitle(notification, now),
        message: fittingLines(notification.message, MAX_CODE_POINTS, isMessage),
        markdown: true,
        priority: PRIORITIES[notification.level],
        tags: [TAGS[notification.level]],
      }),
    });
    return service(postFor, MAX_CODE_POINTS);
  },
});

/** What is wrong in the JSON. Other codes are of the topic or the access. */
const NTFY_REFUSAL = /"code":(?:40007|40011|40017|40018|40024)\b/;

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
