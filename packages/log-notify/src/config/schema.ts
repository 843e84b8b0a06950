import { z } from 'zod';
import type { Directive } from '../filter/filter.ts';
import {
  address,
  context,
  contexts,
  duration,
  headers,
  level,
  rate,
  secret,
  size,
  target,
  text,
  timeOfDay,
  token,
  verbosity,
} from './fields.ts';

/** Settings of every sink. A missing setting has the default of that sink. */
const sinkSettings = {
  enabled: z.boolean({ error: 'use true or false' }).optional(),
  level: level.optional(),
  contexts: contexts.optional(),
  exclude_contexts: contexts.optional(),
  rate: rate.optional(),
  fold: duration.optional(),
  digest: duration.optional(),
};

const NAME_ERROR = 'use up to 40 letters, digits, spaces, _ and -';
const name = z.string({ error: NAME_ERROR }).regex(/^[\w -]{1,40}$/, { error: NAME_ERROR });
const TOPIC_ERROR = 'use 1 to 64 letters, digits, _ and -';
const KEEP_ERROR = 'use a whole number from 1 to 100';

/** One entry of the contract's `[tracing] targets`. */
export const tracingTarget = z.object({ name: target, level: verbosity, context: context.optional() });

/** Sections of the file. Each is parsed separately: an error in one does not affect the others. */
export const sections = {
  tracing: z.object({
    /** Each entry is parsed separately. */
    targets: z.array(z.unknown(), { error: 'use a list of { name = "llm_notify", level = "info" }' }),
  }),
  quiet_hours: z.object({ from: timeOfDay, to: timeOfDay }).refine(({ from, to }) => from !== to, {
    path: ['to'],
    error: 'use a time different from "from"',
  }),
  stderr: z.object(sinkSettings),
  file: z.object({
    ...sinkSettings,
    path: text('use the path of a file').optional(),
    max_size: size.optional(),
    keep: z
      .int({ error: KEEP_ERROR })
      .min(1, { error: KEEP_ERROR })
      .max(100, { error: KEEP_ERROR })
      .optional(),
  }),
  desktop: z.object(sinkSettings),
};

/**
 * Tables that may repeat, as `[[webhook]]`. One wrong setting disables the whole service: without that setting, more
 * than the person wants could leave the machine, or leave it unsigned.
 */
export const services = {
  webhook: z.object({
    ...sinkSettings,
    name: name.optional(),
    url: address,
    secret: secret.optional(),
    headers: headers.optional(),
  }),
  apprise: z.object({
    ...sinkSettings,
    name: name.optional(),
    url: address,
    key: text('use the key of the configuration in apprise-api'),
    tag: text('use a tag of the configuration in apprise-api').optional(),
    headers: headers.optional(),
  }),
  ntfy: z.object({
    ...sinkSettings,
    name: name.optional(),
    url: address.optional(),
    topic: z.string({ error: TOPIC_ERROR }).regex(/^[\w-]{1,64}$/, { error: TOPIC_ERROR }),
    token: token.optional(),
  }),
};

type Sections = {
  readonly [Key in Exclude<keyof typeof sections, 'tracing'>]?: z.output<(typeof sections)[Key]>;
};
type Services = { readonly [Key in keyof typeof services]: readonly z.output<(typeof services)[Key]>[] };

/** A validated configuration file. */
export interface Configuration extends Sections, Services {
  /** In the filter syntax. */
  readonly filter?: string;
  /** From `[tracing]`. The directives of `filter` come after them. */
  readonly targets: readonly Directive[];
}

export type SinkSettings = z.output<typeof sections.stderr>;

export const emptyConfiguration: Configuration = { targets: [], webhook: [], apprise: [], ntfy: [] };
