import { join } from 'node:path';
import { systemClock } from '@deskside/core/base';
import { DeskDatabase, deskPlaces, hasEnded, thisOwner } from '@deskside/desktop';
import { Deliveries } from './deliveries.ts';

let opened = 0;

/**
 * @param given undefined: that of this user; `unrecorded`: one that has nothing else, in the folder for what ends with
 * the login session. These two end with the deliveries.
 * @param report receives one sentence if it is not in its own place
 */
export function openDeliveries(
  given: DeskDatabase | 'unrecorded' | undefined,
  report: (sentence: string) => void,
): { readonly deliveries: Deliveries; readonly end: () => Promise<void> } {
  opened += 1;
  const owner = {
    // Several that open deliveries in this process are not one.
    id: `${thisOwner()}/${opened}`,
    hasEnded: (id: string, since: Date, unknownMs: number) =>
      hasEnded(id.split('/')[0] ?? '', since, unknownMs),
  };
  const of = (database: DeskDatabase) => new Deliveries(database, systemClock, owner);
  if (given instanceof DeskDatabase) return { deliveries: of(given), end: async () => undefined };
  const log = { error: report, warn: report, info: () => undefined, debug: () => undefined };
  const { state, runtime } = deskPlaces();
  const [first, ...others] = runtime.map((folder) => join(folder, 'unrecorded'));
  const places = given === undefined ? { state, runtime } : { state: first, runtime: others };
  const database = new DeskDatabase({ places, log, clock: systemClock });
  return { deliveries: of(database), end: async () => database[Symbol.asyncDispose]() };
}
