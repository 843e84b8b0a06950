import type { z } from 'zod';
import { desktop } from './desktop/desktop.ts';
import type { SinkDefinition, SinkKinds } from './define-sink.ts';
import { file } from './file/file.ts';
import { apprise } from './services/apprise.ts';
import { discord } from './services/discord.ts';
import { ntfy } from './services/ntfy.ts';
import { slack } from './services/slack.ts';
import { telegram } from './services/telegram.ts';
import { webhook } from './services/webhook.ts';
import { stderr } from './stderr.ts';

/** All kinds of sinks, in the order in which the configuration and the commands name them. */
const byKind = { stderr, file, desktop, webhook, apprise, ntfy, slack, discord, telegram } satisfies {
  readonly [Kind in keyof SinkKinds]: SinkDefinition<Kind>;
};
const list = Object.values(byKind);

export const sinks: readonly SinkDefinition[] = list;

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** Settings that environment variables have, as options of the program. */
export type SinkVariables = Intersection<(typeof list)[number]['options']>;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the union of the list as one object
export const sinkVariables = Object.assign({}, ...list.map(({ options }) => options)) as SinkVariables;

/** Validated values of the variables. */
export type SinkOptions = { readonly [Name in keyof SinkVariables]?: z.output<SinkVariables[Name]> };
