import type { z } from 'zod';
import { desktop } from './desktop/desktop.ts';
import type { SinkDefinition } from './define-sink.ts';
import { file } from './file/file.ts';
import { apprise } from './services/apprise.ts';
import { discord } from './services/discord.ts';
import { ntfy } from './services/ntfy.ts';
import { slack } from './services/slack.ts';
import { telegram } from './services/telegram.ts';
import { webhook } from './services/webhook.ts';
import { stderr } from './stderr.ts';

/** In the order in which the configuration and the commands name them. */
export const sinks: readonly SinkDefinition[] = [
  stderr,
  file,
  desktop,
  webhook,
  apprise,
  ntfy,
  slack,
  discord,
  telegram,
];

/** Settings that environment variables have, as options of the program. */
export const sinkVariables = {
  ...webhook.options,
  ...ntfy.options,
  ...slack.options,
  ...discord.options,
  ...telegram.options,
};

/** Validated values of the variables. */
export type SinkOptions = {
  readonly [Name in keyof typeof sinkVariables]?: z.output<(typeof sinkVariables)[Name]>;
};
