import type { SinkTarget } from '../config/plan.ts';
import { DesktopSink } from './desktop/desktop-sink.ts';
import { type Environment, thisMachine } from './desktop/drivers.ts';
import { JsonLinesFile } from './file/json-lines-file.ts';
import { apprise } from './network/apprise.ts';
import { discord, slack, telegram } from './network/chat.ts';
import { ntfy } from './network/ntfy.ts';
import { ServiceSink } from './network/service-sink.ts';
import { webhook } from './network/webhook.ts';
import type { Sink } from './sink.ts';
import { StreamSink, type TerminalStream } from './stream-sink.ts';

/** What sinks use of the process that they run in. */
export interface Host {
  readonly stderr: TerminalStream;
  readonly env: Environment;
  /** Receives one sentence when a sink works, but not completely. */
  readonly report: (sentence: string) => void;
}

/** Creates a sink. Files, programs and connections are opened by its first delivery. */
export function openSink(target: SinkTarget, { stderr, env, report }: Host): Sink {
  switch (target.kind) {
    case 'stderr':
      return new StreamSink(stderr);
    case 'file':
      return new JsonLinesFile({ ...target, report });
    case 'desktop':
      return new DesktopSink(() => thisMachine(env));
    case 'webhook':
      return new ServiceSink(webhook(target), env);
    case 'apprise':
      return new ServiceSink(apprise(target), env);
    case 'ntfy':
      return new ServiceSink(ntfy(target), env);
    case 'slack':
      return new ServiceSink(slack(target), env);
    case 'discord':
      return new ServiceSink(discord(target), env);
    case 'telegram':
      return new ServiceSink(telegram(target), env);
  }
}
