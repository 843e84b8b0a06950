#!/usr/bin/env node
import { defineServer, serve, ToolError, toolDefiner } from '@deskside/core';
import { z } from 'zod';

const stock = new Map([['cup', 12]]);
const defineTool = toolDefiner<typeof stock>();

const take = defineTool({
  name: 'take',
  title: 'Take from stock',
  description: 'Takes pieces of an item out of the stock',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.object({
    item: z.string().describe('The name of the item, for example "cup".'),
    pieces: z.int().min(1).default(1).describe('How many to take.'),
  }),
  output: z.object({ item: z.string(), left: z.int() }),
  run({ item, pieces }, items) {
    const left = (items.get(item) ?? 0) - pieces;
    if (left < 0) {
      throw new ToolError({ error: `Not enough of ${item}`, code: 'NOT_FOUND', hint: 'Take fewer.' });
    }
    items.set(item, left);
    return { item, left };
  },
});

await serve(defineServer({ name: 'stock', version: '1.0.0', deps: stock, tools: [take] }));
