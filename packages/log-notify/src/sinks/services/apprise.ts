import { datedTitle } from '../../notification/display.ts';
import type { Level } from '../../notification/notification.ts';
import { escapeLines, redactedExcerpt } from '../../notification/safe-text.ts';
import { defineSink } from '../define-sink.ts';
import { address, headers, originOf, text } from '../fields.ts';

export const apprise = defineSink({
  kind: 'apprise',
  schema: () => ({
    url: address,
    key: text('use the key of the configuration in apprise-api'),
    tag: text('use a tag of the configuration in apprise-api').optional(),
    headers: headers().optional(),
  }),
  // Who knows the key can send to its services.
  secrets: ['key', 'headers'],
  variables: {},
  example: `
An apprise-api server in your own network, without encryption
[[apprise]]
url = "http://192.168.1.5:8000"
insecure_http = true
key = "desk"
`,
  describe: ({ url }) => originOf(url),
  open({ url: base, key, tag, headers = {} }, { service }) {
    const url = new URL(`${base.href.replace(/\/*$/, '')}/notify/${encodeURIComponent(key)}`);
    return service((notification, now) => ({
      url,
      headers,
      noContent: 'it has no configuration with this key',
      // Some of its services may have it: it is not sent to all of them again.
      refusal: /payload|format|could not be sent/i,
      body: JSON.stringify({
        title: datedTitle(notification, now),
        body: escapeLines(redactedExcerpt(notification.message), Infinity),
        type: TYPES[notification.level],
        // It converts Markdown for each service that it forwards to.
        format: 'markdown',
        ...(tag === undefined ? {} : { tag }),
      }),
    }));
  },
});

const TYPES: Readonly<Record<Level, string>> = { info: 'info', warn: 'warning', error: 'failure' };
