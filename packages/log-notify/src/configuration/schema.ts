import { z } from 'zod';
import { address, contexts, duration, level, rate, size, timeOfDay } from './fields.ts';

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

const name = z.string().regex(/^[\w -]{1,40}$/, 'use letters, digits, spaces, _ and -');
const headers = z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\t\x20-\x7E]*$/));

/** The sections of the file, each read by itself: what is wrong in one leaves the others alone. */
export const sections = {
  tracing: z.object({
    targets: z.array(z.object({ name: z.string(), level: z.string(), context: z.string().optional() }), {
      error: 'use a list of { name = "llm_notify", level = "info" }',
    }),
  }),
  quiet_hours: z.object({ from: timeOfDay, to: timeOfDay }),
  stderr: z.object(lane),
  file: z.object({
    ...lane,
    path: z.string().min(1).optional(),
    max_size: size.optional(),
    keep: z.int().min(1).max(100).optional(),
  }),
  desktop: z.object(lane),
};

/** Any number of each, as `[[webhook]]`. */
export const services = {
  webhook: z.object({
    ...lane,
    name: name.optional(),
    url: address,
    secret: z.string().min(1).optional(),
    headers: headers.optional(),
  }),
  apprise: z.object({
    ...lane,
    name: name.optional(),
    url: address,
    key: z.string().min(1),
    tag: z.string().min(1).optional(),
    headers: headers.optional(),
  }),
  ntfy: z.object({
    ...lane,
    name: name.optional(),
    url: address.optional(),
    topic: z.string().regex(/^[\w-]{1,64}$/, 'use 1 to 64 letters, digits, _ and -'),
    token: z.string().min(1).optional(),
  }),
};

type Sections = { readonly [Key in keyof typeof sections]?: z.output<(typeof sections)[Key]> };
type Services = { readonly [Key in keyof typeof services]: readonly z.output<(typeof services)[Key]>[] };

/** What a configuration file says, checked. */
export interface Configuration extends Sections, Services {
  /** In the filter language. */
  readonly filter?: string;
}

export type LaneSettings = z.output<typeof sections.stderr>;

export const nothingConfigured: Configuration = { webhook: [], apprise: [], ntfy: [] };
