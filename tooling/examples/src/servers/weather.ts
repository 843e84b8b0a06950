#!/usr/bin/env node
/** An API client: progress per city, and a cancelled call cancels the request that waits. */
import '@deskside/core/stdout';
import { defineServer, toolDefiner, UserError } from '@deskside/core';
import { defineOptions, runServer } from '@deskside/core/cli';
import { messageOf } from '@deskside/core/errors';
import { z } from 'zod';

const options = defineOptions('WEATHER', {
  api: z
    .url('use a URL such as https://api.example.org')
    .default('https://api.example.org')
    .meta({ placeholder: 'URL', description: 'Base URL of the weather API.' }),
});

interface WeatherApi {
  readonly url: string;
}

const observation = z.object({ city: z.string(), celsius: z.number() });

/** @throws UserError if the API does not know the city or cannot be reached */
async function temperatureIn(city: string, { url }: WeatherApi, signal: AbortSignal) {
  const response = await fetch(new URL(`/v1/${encodeURIComponent(city)}`, url), { signal }).catch(
    (error: unknown) => {
      if (signal.aborted) throw error;
      throw new UserError({
        error: `The weather API cannot be reached: ${messageOf(error)}`,
        code: 'UNAVAILABLE',
        hint: 'Try again later.',
      });
    },
  );
  if (response.status === 404) {
    throw new UserError({
      error: `The city "${city}" is unknown.`,
      code: 'NOT_FOUND',
      hint: 'Use the English name of a larger city.',
    });
  }
  return observation.parse(await response.json());
}

const getTemperatures = toolDefiner<WeatherApi>()({
  name: 'get_temperatures',
  title: 'Get temperatures',
  description: 'Returns the present temperature of each city.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.object({
    cities: z.array(z.string().min(1)).min(1).max(20).describe('English names, for example ["Oslo","Rome"].'),
  }),
  output: z.object({ temperatures: z.array(observation) }),
  async run({ cities }, api, { signal, progress }) {
    const temperatures = [];
    for (const city of cities) {
      temperatures.push(await temperatureIn(city, api, signal));
      await progress(temperatures.length, cities.length, city);
    }
    return { temperatures };
  },
});

await runServer({
  name: 'weather',
  version: '1.0.0',
  summary: 'Serves the present weather.',
  options,
  open: ({ api }) => ({ url: api, [Symbol.asyncDispose]: async () => undefined }),
  definition: (api) =>
    defineServer({ name: 'weather', version: '1.0.0', deps: api, tools: [getTemperatures] }),
});
