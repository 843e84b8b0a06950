#!/usr/bin/env node
import { defineServer, serve, toolDefiner, UserError } from '@deskside/core';
import { z } from 'zod';

const stock = new Map([['cup', 12]]);
const defineTool = toolDefiner<typeof stock>();

const take = defineTool({
  name: 'take',
  title: 'Take from stock',
  description: 'Takes pieces of an item from the stock and returns how many are left.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.object({
    item: z.string().describe('Name of the item, for example "cup".'),
    pieces: z.int().min(1).default(1).describe('Number of pieces, for example 2.'),
  }),
  output: z.object({ item: z.string(), left: z.int() }),
  run({ item, pieces }, items) {
    const left = (items.get(item) ?? 0) - pieces;
    if (left < 0) {
      throw new UserError({
        error: `Not enough of ${item}: ${items.get(item) ?? 0} left.`,
        code: 'NOT_FOUND',
        hint: 'Take fewer pieces.',
      });
    }
    items.set(item, left);
    return { item, left };
  },
});

await serve(defineServer({ name: 'stock', version: '1.0.0', deps: stock, tools: [take] }));
