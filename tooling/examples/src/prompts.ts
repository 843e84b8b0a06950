import { type Completer, defineServer, type Prompt, promptDefiner } from '@deskside/core';
import { z } from 'zod';

/** Cities by country. */
export type Cities = Readonly<Record<string, readonly string[]>>;

const definePrompt = promptDefiner<Cities>();

const startingWith = (typed: string, values: readonly string[]) =>
  values.filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));

const country: Completer<Cities> = (typed, _given, cities) => startingWith(typed, Object.keys(cities));
/** `given` holds the arguments that are already filled in. */
const city: Completer<Cities> = (typed, given, cities) =>
  startingWith(typed, cities[given['country'] ?? ''] ?? []);

export const planTrip: Prompt<Cities> = definePrompt({
  name: 'plan_trip',
  title: 'Plan a trip',
  description: 'Plans a weekend in a city.',
  arguments: z.object({
    country: z.string().describe('Country, for example Italy.'),
    city: z.string().optional().describe('City, for example Rome.'),
  }),
  complete: { country, city },
  // A text becomes one user message. Return messages for more.
  run: ({ country, city }) => `Plan a weekend in ${city ?? 'a city'}, ${country}.`,
});

export function travelServer(cities: Cities) {
  return defineServer({ name: 'travel', version: '1.0.0', deps: cities, prompts: [planTrip] });
}
