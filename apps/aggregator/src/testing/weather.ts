import { defineServer, type ServerDefinition, toolDefiner } from '@deskside/core';
import { z } from 'zod';

interface Weather {
  readonly city: string;
}

const forecast = toolDefiner<Weather>()({
  name: 'forecast',
  title: 'Weather forecast',
  description: 'Returns the forecast for today',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.object({}),
  run: (_, { city }) => `${city}: sunny`,
});

/** Receives `options` of deskside.toml. If the result is disposable, it is disposed of when Deskside ends. */
export function open(options: Readonly<Record<string, unknown>>): Weather {
  return z.object({ city: z.string().default('Berlin') }).parse(options);
}

export function definition(weather: Weather): ServerDefinition {
  return defineServer({ name: 'weather', version: '1.0.0', deps: weather, tools: [forecast] });
}
