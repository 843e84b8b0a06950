import { z } from 'zod';

/** All servers have the same typical tools. */
const COUNT = 10;

export const input = z.object({
  title: z.string().min(1).max(200).describe('Title of the task'),
  description: z.string().max(1000).optional().describe('Details'),
  priority: z.enum(['low', 'normal', 'high']).default('normal').describe('Priority'),
  limit: z.number().int().min(1).max(500).default(50).describe('Maximum number of results'),
  labels: z.array(z.string()).optional().describe('Search words'),
});

export const output = z.object({
  title: z.string().describe('Title from the arguments'),
  priority: z.string().describe('Priority after the call'),
  count: z.number().describe('Number of results'),
});

export const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const names: readonly string[] = Array.from(
  { length: COUNT },
  (_, index) => `tool_${String(index).padStart(2, '0')}`,
);

export const registrationOf = (name: string) => ({
  title: `Title of ${name}`,
  description: `Runs ${name}, and has a description of typical length in one sentence.`,
});

export function run({ title, priority }: { readonly title: string; readonly priority: string }) {
  return { title, priority, count: 50 };
}

export const args = { title: 'Buy groceries', priority: 'high', labels: ['home', 'food'] };
