import { openBuiltIn, serveAggregator } from '@deskside/aggregator';
import * as weather from './weather.ts';

const builtIn = await openBuiltIn(process.env, { mounts: ['todo', 'popup'] });
const { url } = await serveAggregator({
  mounts: [
    ...builtIn.mounts,
    { id: 'weather', definition: weather.definition(weather.open({ city: 'Oslo' })) },
  ],
  user: builtIn.user,
  profiles: new Map([['reader', { include: ['*_list_*', 'weather_*'] }]]),
  http: { port: Number(process.env['PORT'] ?? 3400) },
  onClose: async () => builtIn[Symbol.asyncDispose](),
});
process.stdout.write(`Serving at ${url}\n`);
