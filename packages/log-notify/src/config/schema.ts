import * as z from 'zod';
import type { Directive } from '../filter/filter.ts';
import {
  address,
  addressProblem,
  botToken,
  chat,
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
  topic,
  verbosity,
} from './fields.ts';

/** Settings of every sink. A missing setting has the default of that sink. */
export const sinkSettings = {
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
const CONTENT_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; charset=[\w-]+)?$/;
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

/** Settings of every service. */
const serviceSettings = {
  ...sinkSettings,
  name: name.optional(),
  insecure_http: z.boolean({ error: 'use true or false' }).optional(),
};

/** A service whose URL is checked together with `insecure_http`. */
function service<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({ ...serviceSettings, ...shape }).superRefine((value, ctx) => {
    const { url, insecure_http: insecureHttp }: Readonly<Record<string, unknown>> = value;
    const problem = url instanceof URL ? addressProblem(url, insecureHttp === true) : undefined;
    if (problem !== undefined) ctx.addIssue({ code: 'custom', path: ['url'], message: problem });
  });
}

/**
 * Tables that may repeat, as `[[webhook]]`. One wrong setting disables the whole service: without that setting, more
 * than the person wants could leave the machine, or leave it unsigned.
 */
export const services = {
  webhook: service({
    url: address,
    secret: secret.optional(),
    headers: headers.optional(),
    body: text('use a Liquid template').optional(),
    content_type: z.string().regex(CONTENT_TYPE, { error: 'use a type such as "text/plain"' }).optional(),
  }),
  apprise: service({
    url: address,
    key: text('use the key of the configuration in apprise-api'),
    tag: text('use a tag of the configuration in apprise-api').optional(),
    headers: headers.optional(),
  }),
  ntfy: service({ url: address.optional(), topic, token: token.optional() }),
  slack: service({ url: address }),
  discord: service({ url: address }),
  telegram: service({ url: address.optional(), token: botToken, chat }),
};

export type ServiceKind = keyof typeof services;

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

export const emptyConfiguration: Configuration = {
  targets: [],
  webhook: [],
  apprise: [],
  ntfy: [],
  slack: [],
  discord: [],
  telegram: [],
};
