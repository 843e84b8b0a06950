import { datedTitle } from '../../notification/display.ts';
import type { Level } from '../../notification/notification.ts';
import { escapeLines, redactedExcerpt } from '../../notification/safe-text.ts';
import { defineSink, type PostFor } from '../define-sink.ts';
import { address, headers, originOf, text } from '../fields.ts';

declare module '../define-sink.ts' {
  interface SinkKinds {
    readonly apprise: true;
  }
}

export const apprise = defineSink({
  kind: 'apprise',
  title: 'an apprise-api server',
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
  open: (settings, { service }) => service(apprisePost(settings)),
});

interface AppriseOptions {
  /** Address of the apprise-api server. */
  readonly url: URL;
  /** Key of the configuration stored there. */
  readonly key: string;
  /** Selects some of its services. Undefined means all. */
  readonly tag?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const TYPES: Readonly<Record<Level, string>> = { info: 'info', warn: 'warning', error: 'failure' };

/** An apprise-api server, which forwards to many services and converts Markdown for each. */
export function apprisePost({ url: base, key, tag, headers = {} }: AppriseOptions): PostFor {
  const url = new URL(`${base.href.replace(/\/*$/, '')}/notify/${encodeURIComponent(key)}`);
  return (notification, now) => ({
    url,
    headers,
    noContent: 'it has no configuration with this key',
    body: JSON.stringify({
      title: datedTitle(notification, now),
      body: escapeLines(redactedExcerpt(notification.message), Infinity),
      type: TYPES[notification.level],
      format: 'markdown',
      ...(tag === undefined ? {} : { tag }),
    }),
  });
}
