// A server on core as npm installs it. Zod is second, as in a program that imports `@deskside/core`, and as for the SDK.
import { defineServer, toolDefiner } from '../../../../packages/core/dist/index.js';
import { serve } from '../../../../packages/core/dist/serving/index.js';
import * as z from 'zod';

const echo = toolDefiner()({
  name: 'echo',
  title: 'Echo',
  description: 'Returns its input',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ text: z.string() }),
  run: ({ text }) => text,
});
await serve(defineServer({ name: 'core', version: '0.0.0', deps: undefined, tools: [echo] }));
