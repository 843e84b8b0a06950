import { z } from 'zod';
import { LOG_LEVELS } from '../log/log.ts';
import { choiceField, portField, tokenField } from './fields.ts';
import { defineOptions } from './options.ts';

/** Where HTTP listens. */
export const listenFields = {
  host: z
    .string()
    .trim()
    .min(1, 'use an address such as 127.0.0.1')
    .default('127.0.0.1')
    .meta({ placeholder: 'ADDRESS', description: 'Address that HTTP listens on.' }),
  port: portField(3333).meta({
    placeholder: 'PORT',
    description: 'Port that HTTP listens on; 0 takes a free one.',
  }),
  stateless: z.boolean().default(false).meta({
    description: 'Serve the 2025 protocol era without sessions, for replicas behind a load balancer.',
  }),
  token: tokenField().optional().meta({
    flag: false,
    placeholder: 'TOKEN',
    description: 'Bearer token for HTTP. Made at the first start and kept, if not given.',
  }),
};

export const logFields = {
  logLevel: choiceField(LOG_LEVELS)
    .default('info')
    .meta({
      placeholder: 'LEVEL',
      description: `How much goes to stderr: ${LOG_LEVELS.join(', ')}.`,
    }),
};

/** What every server can be told, beside its own settings. */
export const commonOptions = defineOptions('DESKSIDE', {
  http: z.boolean().default(false).meta({ description: 'Serve Streamable HTTP instead of stdio.' }),
  ...listenFields,
  ...logFields,
});
