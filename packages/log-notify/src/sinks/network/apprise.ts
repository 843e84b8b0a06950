import { datedTitle } from '../../notification/display.ts';
import type { Level } from '../../notification/notification.ts';
import { escapeLines, redactedExcerpt } from '../../notification/safe-text.ts';
import type { PostFor } from './service-sink.ts';

export interface AppriseOptions {
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
export function apprise({ url: base, key, tag, headers = {} }: AppriseOptions): PostFor {
  const url = new URL(`${base.href.replace(/\/*$/, '')}/notify/${encodeURIComponent(key)}`);
  return (notification, now) => ({
    url,
    headers,
    body: JSON.stringify({
      title: datedTitle(notification, now),
      body: escapeLines(redactedExcerpt(notification.message), Infinity),
      type: TYPES[notification.level],
      format: 'markdown',
      ...(tag === undefined ? {} : { tag }),
    }),
  });
}
