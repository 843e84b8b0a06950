// A server of another program behind the desk, with the kinds of answers that hosts treat differently.
import { defineServer, toolDefiner } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { UserError } from '@deskside/core/errors';
import { z } from 'zod';

const defineTool = toolDefiner<undefined>();
const named = (name: string) => ({
  name,
  title: name,
  description: `The ${name} of the bench`,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
});
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const tools = [
  defineTool({
    ...named('list'),
    input: z.object({}),
    output: z.array(z.object({ name: z.string() })),
    run: () => [{ name: 'first' }, { name: 'second' }],
  }),
  defineTool({
    ...named('fail'),
    input: z.object({}),
    output: z.object({ name: z.string() }),
    run: () => {
      throw new UserError({ error: 'Sample not found', code: 'NOT_FOUND', hint: 'Call sample_list.' });
    },
  }),
  defineTool({
    ...named('remove'),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    input: z.object({ name: z.string().describe('What to remove, for example "first".') }),
    run: ({ name }) => `Removed ${name}`,
  }),
  defineTool({
    ...named('picture'),
    input: z.object({}),
    run: () => [
      { type: 'text', text: 'A picture' },
      { type: 'image', mimeType: 'image/png', data: DOT },
    ],
  }),
];

await serve(defineServer({ name: 'sample', version: '1.0.0', deps: undefined, tools }));
