import { z } from 'zod';

const text = z.string({ error: 'use a text' });
const texts = z.array(text, { error: 'use a list of texts' });
const table = z.record(z.string(), text, { error: 'use a table of texts' });

/** A server that another process or machine runs, in the form that most clients use. */
export const externalServer = z.union(
  [
    z.strictObject({
      command: text.min(1),
      args: texts.optional(),
      env: table.optional(),
      env_vars: texts.optional(),
      cwd: text.optional(),
    }),
    z.strictObject({
      url: z.url({ protocol: /^https?$/, error: 'use a URL such as https://example.com/mcp' }),
      headers: table.optional(),
    }),
  ],
  { error: 'use command, args, env, env_vars and cwd, or url and headers' },
);

export type ExternalServer = z.output<typeof externalServer>;
