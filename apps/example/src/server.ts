import { capped, defineServer, diagnostics, diagnosticsOf, toolDefiner, truncation } from '@deskside/core';
import { UserError } from '@deskside/core/errors';
import { z } from 'zod';

/** What the tools use: departures by stop. */
type Timetable = ReadonlyMap<string, readonly string[]>;

const listDepartures = toolDefiner<Timetable>()({
  name: 'list_departures',
  title: 'List departures',
  description: 'Returns the next departures of a tram stop.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({
    stop: z.string().describe('Name of the stop, for example "Harbor".'),
    limit: z.int().min(1).max(20).default(3).describe('How many departures to return, for example 2.'),
  }),
  output: z.object({ departures: z.array(z.string()), truncation, diagnostics }),
  run({ stop, limit }, timetable) {
    const all = timetable.get(stop);
    if (all === undefined) {
      const hint = `Use one of: ${[...timetable.keys()].join(', ')}.`;
      throw new UserError({ error: `There is no stop "${stop}".`, code: 'NOT_FOUND', hint });
    }
    const { items, truncation } = capped(all, limit);
    const none = { reasonCode: 'NoService', remediationHint: 'Trams run again at 05:10.', degraded: false };
    return {
      departures: [...items],
      truncation,
      diagnostics: diagnosticsOf(all.length === 0 ? [none] : []),
    };
  },
});

export const open = (): Timetable =>
  new Map([
    ['Harbor', ['22:04', '22:19', '22:34', '22:49', '23:04']],
    ['Museum', []],
  ]);

export const definition = (timetable: Timetable) =>
  defineServer({ name: 'tram', version: '1.0.0', deps: timetable, tools: [listDepartures] });
