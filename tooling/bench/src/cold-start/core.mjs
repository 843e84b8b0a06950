// A server on core as npm installs it.
import * as z from 'zod';
import { defineServer, serve, toolDefiner } from '../../../../packages/core/dist/index.js';

const echo = toolDefiner()({
  name: 'echo',
  title: 'Echo',
  description: 'Returns its input',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ text: z.string() }),
  run: ({ text }) => text,
});
await serve(defineServer({ name: 'core', version: '0.0.0', deps: undefined, tools: [echo] }));
