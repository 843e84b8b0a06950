import type { SinkTarget } from '../config/plan.ts';
import { DesktopSink } from './desktop/desktop-sink.ts';
import { type Environment, thisMachine } from './desktop/drivers.ts';
import { JsonLinesFile } from './file/json-lines-file.ts';
import { AppriseSink } from './network/apprise.ts';
import { NtfySink } from './network/ntfy.ts';
import { WebhookSink } from './network/webhook.ts';
import type { Sink } from './sink.ts';
import { StreamSink, type TerminalStream } from './stream-sink.ts';

const DEFAULT_NTFY_URL = new URL('https://ntfy.sh');

/** What sinks use of the process that they run in. */
export interface Host {
  readonly stderr: TerminalStream;
  readonly env: Environment;
}

/** Creates a sink. Files, programs and connections are opened by its first delivery. */
export function openSink(target: SinkTarget, { stderr, env }: Host): Sink {
  switch (target.kind) {
    case 'stderr':
      return new StreamSink(stderr, stderr.isTTY === true && !env['NO_COLOR']);
    case 'file':
      return new JsonLinesFile(target);
    case 'desktop':
      return new DesktopSink(() => thisMachine(env));
    case 'webhook': {
      const { url, secret, headers = {} } = target;
      return new WebhookSink({ url, secret, headers, now: () => Date.now() });
    }
    case 'apprise': {
      const { url, key, tag, headers = {} } = target;
      return new AppriseSink({ url, key, tag, headers });
    }
    case 'ntfy': {
      const { url = DEFAULT_NTFY_URL, topic, token } = target;
      return new NtfySink({ url, topic, token });
    }
  }
}
