import { z } from 'zod';

/** What both servers are given: thirty tools such as servers have them. */
const COUNT = 30;

export const input = z.object({
  title: z.string().min(1).max(200).describe('What is to be done'),
  description: z.string().max(1000).optional().describe('Details, if there are any'),
  priority: z.enum(['low', 'normal', 'high']).default('normal').describe('How soon it matters'),
  limit: z.number().int().min(1).max(500).default(50).describe('How many to answer at most'),
  labels: z.array(z.string()).optional().describe('Words to find it by'),
});

export const output = z.object({
  title: z.string().describe('As it was given'),
  priority: z.string().describe('As it is now'),
  count: z.number().describe('How many there are'),
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

export function titleOf(name: string): string {
  return `Title of ${name}`;
}

export function descriptionOf(name: string): string {
  return `Does what ${name} does, and says so in a sentence of the usual length.`;
}

export function run({ title, priority, limit }: z.output<typeof input>): z.input<typeof output> {
  return { title, priority, count: limit };
}

export const call = {
  name: 'tool_17',
  arguments: { title: 'Buy groceries', priority: 'high', labels: ['home', 'food'] },
};
