import { defineServer, promptDefiner } from '@deskside/core';
import { z } from 'zod';

/** Cities by country. */
type Cities = Readonly<Record<string, readonly string[]>>;

const planTrip = promptDefiner<Cities>()({
  name: 'plan_trip',
  title: 'Plan a trip',
  description: 'Plans a weekend in a city.',
  arguments: z.object({
    country: z.string().describe('Country, for example Italy.'),
    city: z.string().optional().describe('City, for example Rome.'),
  }),
  // `given` holds the arguments that are already filled in.
  complete: {
    city: (typed, given, cities) =>
      (cities[given['country'] ?? ''] ?? []).filter((city) => city.startsWith(typed)),
  },
  // A text becomes one user message. Return messages for more.
  run: ({ country, city }) => `Plan a weekend in ${city ?? 'a city'}, ${country}.`,
});

export function travelServer(cities: Cities) {
  return defineServer({ name: 'travel', version: '1.0.0', deps: cities, prompts: [planTrip] });
}
