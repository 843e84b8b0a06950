import { createAggregator, openBuiltIn } from '@deskside/aggregator';
import { serve } from '@deskside/core/serving';
import * as weather from './weather.ts';

const builtIn = await openBuiltIn(process.env, { mounts: ['todo', 'popup'] });
const { routes } = await createAggregator({
  mounts: [
    ...builtIn.mounts,
    { id: 'weather', definition: weather.definition(weather.open({ city: 'Oslo' })) },
  ],
  user: builtIn.user,
  profiles: new Map([['reader', { include: ['*_list_*', 'weather_*'] }]]),
});
const { url } = await serve(routes, {
  http: { port: Number(process.env['PORT'] ?? 3400), auth: { token: process.env['TOKEN'] ?? '' } },
  onClose: async () => builtIn[Symbol.asyncDispose](),
});
process.stdout.write(`Serving at ${url}\n`);
