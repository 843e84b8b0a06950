import { join } from 'node:path';
import { createAggregator, openBuiltIn } from '@deskside/aggregator';
import { defineServer, serve, toolDefiner } from '@deskside/core';
import { folders, loadOrCreateToken } from '@deskside/core/cli';
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

const builtIn = openBuiltIn(process.env);
const { routes } = await createAggregator({
  mounts: [...builtIn.mounts, { id: 'stock', definition: stockServer }],
});
const token = await loadOrCreateToken(join(folders().data, 'token'));
const { url } = await serve(routes, {
  user: builtIn.user,
  http: { port: Number(process.env['PORT'] ?? 3400), auth: { token } },
  onClose: async () => builtIn[Symbol.asyncDispose](),
});
process.stdout.write(`Serving at ${url}\n`);
