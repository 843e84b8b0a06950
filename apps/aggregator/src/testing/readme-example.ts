import { openBuiltIn, serveAggregator } from '@deskside/aggregator';
import { defineServer, toolDefiner } from '@deskside/core';
import { z } from 'zod';

const count = toolDefiner<Map<string, number>>()({
  name: 'count',
  title: 'Count stock',
  description: 'Returns how many pieces of an item are in stock',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ item: z.string().describe('Name of the item, for example "cup".') }),
  run: ({ item }, pieces) => `${item}: ${pieces.get(item) ?? 0}`,
});
const stock = new Map([['cup', 12]]);
const stockServer = defineServer({ name: 'stock', version: '1.0.0', deps: stock, tools: [count] });

const builtIn = await openBuiltIn(process.env, { mounts: ['todo', 'popup'] });
const { url } = await serveAggregator({
  mounts: [...builtIn.mounts, { id: 'stock', definition: stockServer }],
  user: builtIn.user,
  profiles: new Map([['reader', { include: ['*_list_*', 'stock_count'] }]]),
  http: { port: Number(process.env['PORT'] ?? 3400) },
  onClose: async () => builtIn[Symbol.asyncDispose](),
});
process.stdout.write(`Serving at ${url}\n`);
