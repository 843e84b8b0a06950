import type { SinkTarget } from '../configuration/plan.ts';
import { environment, standardError } from '../platform/this-process.ts';
import { DesktopSink } from './desktop/desktop-sink.ts';
import { JsonLinesFile } from './file/json-lines-file.ts';
import { AppriseSink } from './network/apprise.ts';
import { NtfySink } from './network/ntfy.ts';
import { WebhookSink } from './network/webhook.ts';
import type { Sink } from './sink.ts';
import { StreamSink } from './stream-sink.ts';

const NTFY = new URL('https://ntfy.sh');

/** Opens nothing yet: what a sink needs, it takes with its first delivery. */
export function openSink(target: SinkTarget): Sink {
  switch (target.kind) {
    case 'stderr': {
      const stream = standardError();
      return new StreamSink(stream, stream.isTTY === true && !environment()['NO_COLOR']);
    }
    case 'file':
      return new JsonLinesFile(target);
    case 'desktop':
      return new DesktopSink();
    case 'webhook': {
      const { url, secret, headers = {} } = target;
      return new WebhookSink({ url, secret, headers, now: () => Date.now() });
    }
    case 'apprise': {
      const { url, key, tag, headers = {} } = target;
      return new AppriseSink({ url, key, tag, headers });
    }
    case 'ntfy': {
      const { url = NTFY, topic, token } = target;
      return new NtfySink({ url, topic, token });
    }
  }
}
