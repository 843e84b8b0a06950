import { join } from 'node:path';
import { systemClock } from '@deskside/core/base';
import { DeskDatabase, deskPlaces, hasEnded, thisOwner } from '@deskside/desktop';
import { Deliveries, type DeliveryOwner } from './deliveries.ts';

let opened = 0;

/** This process; several that open deliveries in it are not one. */
function deliveryOwner(): DeliveryOwner {
  opened += 1;
  return {
    id: `${thisOwner()}/${opened}`,
    hasEnded: (id, since, unknownMs) => hasEnded(id.split('/')[0] ?? '', since, unknownMs),
  };
}

/**
 * @param database undefined: that of this user; `unrecorded`: one that has nothing else, in the folder for what ends with
 * the login session. These two end with the deliveries.
 * @param report receives one sentence if it is not in its own place
 */
export function openDeliveries(
  database: DeskDatabase | 'unrecorded' | undefined,
  report: (sentence: string) => void,
): Deliveries {
  if (database instanceof DeskDatabase) return new Deliveries(database, systemClock, deliveryOwner());
  const log = { error: report, warn: report, info: () => undefined, debug: () => undefined };
  const { state, runtime } = deskPlaces();
  const [first, ...others] = runtime.map((folder) => join(folder, 'unrecorded'));
  const places = database === undefined ? { state, runtime } : { state: first, runtime: others };
  const own = new DeskDatabase({ places, log, clock: systemClock });
  return new Deliveries(own, systemClock, deliveryOwner(), own);
}
