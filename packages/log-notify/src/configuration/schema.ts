import { z } from 'zod';
import type { Directive } from '../filter/directive.ts';
import {
  context,
  contexts,
  duration,
  level,
  rate,
  size,
  target,
  text,
  timeOfDay,
  verbosity,
} from './fields.ts';
import { address, headers, secret, token } from './service-fields.ts';

/** What every sink can be told. What is left out is the sink's own default. */
const lane = {
  enabled: z.boolean({ error: 'use true or false' }).optional(),
  level: level.optional(),
  contexts: contexts.optional(),
  exclude_contexts: contexts.optional(),
  rate: rate.optional(),
  fold: duration.optional(),
  digest: duration.optional(),
};

const NAME = 'use up to 40 letters, digits, spaces, _ and -';
const name = z.string({ error: NAME }).regex(/^[\w -]{1,40}$/, { error: NAME });
const TOPIC = 'use 1 to 64 letters, digits, _ and -';
const KEEP = 'use a whole number from 1 to 100';

/** One of the contract's `[tracing] targets`. */
export const tracingTarget = z.object({ name: target, level: verbosity, context: context.optional() });

/** The sections of the file, each read by itself: what is wrong in one leaves the others alone. */
export const sections = {
  tracing: z.object({
    /** Each is read by itself. */
    targets: z.array(z.unknown(), { error: 'use a list of { name = "llm_notify", level = "info" }' }),
  }),
  quiet_hours: z.object({ from: timeOfDay, to: timeOfDay }).refine(({ from, to }) => from !== to, {
    path: ['to'],
    error: 'use another time than that of "from"',
  }),
  stderr: z.object(lane),
  file: z.object({
    ...lane,
    path: text('use the path of a file').optional(),
    max_size: size.optional(),
    keep: z.int({ error: KEEP }).min(1, { error: KEEP }).max(100, { error: KEEP }).optional(),
  }),
  desktop: z.object(lane),
};

/**
 * Any number of each, as `[[webhook]]`. With a setting that is wrong, one is left out as a whole: without it, more
 * would leave this machine than the person wants, or unsigned.
 */
export const services = {
  webhook: z.object({
    ...lane,
    name: name.optional(),
    url: address,
    secret: secret.optional(),
    headers: headers.optional(),
  }),
  apprise: z.object({
    ...lane,
    name: name.optional(),
    url: address,
    key: text('use the key of the configuration in apprise-api'),
    tag: text('use a tag of the configuration in apprise-api').optional(),
    headers: headers.optional(),
  }),
  ntfy: z.object({
    ...lane,
    name: name.optional(),
    url: address.optional(),
    topic: z.string({ error: TOPIC }).regex(/^[\w-]{1,64}$/, { error: TOPIC }),
    token: token.optional(),
  }),
};

type Sections = {
  readonly [Key in Exclude<keyof typeof sections, 'tracing'>]?: z.output<(typeof sections)[Key]>;
};
type Services = { readonly [Key in keyof typeof services]: readonly z.output<(typeof services)[Key]>[] };

/** What a configuration file says, checked. */
export interface Configuration extends Sections, Services {
  /** In the filter language. */
  readonly filter?: string;
  /** Of `[tracing]`; the filter's come after them. */
  readonly targets: readonly Directive[];
}

export type LaneSettings = z.output<typeof sections.stderr>;

export const nothingConfigured: Configuration = { targets: [], webhook: [], apprise: [], ntfy: [] };
