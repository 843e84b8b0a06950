import { z } from 'zod';

export const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** What a tool of a test needs besides its work. */
export const described = (name: string) => ({
  name,
  title: `The tool ${name}`,
  description: `Tool ${name} of a test`,
  annotations,
  input: z.object({}),
});
