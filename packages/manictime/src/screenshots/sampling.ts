import type { StoredShot } from './folder.ts';

export type SamplingStrategy = 'activity_transition' | 'interval';

export interface Sample {
  /** In order of time. */
  readonly shots: readonly StoredShot[];
  /** What was used: without transitions there is only the interval. */
  readonly sampling: SamplingStrategy;
}

/** Seconds within which a shot belongs to a transition. */
const NEAR = 120;

/**
 * At most `most` shots that are spread over all of them. The monitors of one moment stay together. Nothing is
 * left out where all fit.
 *
 * @param shots in order of their instants
 * @param transitions instants at which another window came to the front, in order
 */
export function sample(
  shots: readonly StoredShot[],
  most: number,
  strategy: SamplingStrategy,
  transitions: readonly number[],
): Sample {
  if (shots.length <= most) return { shots, sampling: strategy };
  const moments = [...momentsOf(shots).values()];
  const perMoment = Math.max(...moments.map(({ length }) => length));
  const room = Math.max(1, Math.floor(most / perMoment));
  const chosen = strategy === 'activity_transition' ? nearTransitions(moments, transitions) : [];
  const sampling = chosen.length === 0 ? 'interval' : strategy;
  const picked = spread(chosen.length === 0 ? moments : chosen, room);
  return { shots: picked.flat().slice(0, most), sampling };
}

function momentsOf(shots: readonly StoredShot[]): Map<number, StoredShot[]> {
  const moments = new Map<number, StoredShot[]>();
  for (const shot of shots) {
    const moment = moments.get(shot.instant);
    if (moment === undefined) moments.set(shot.instant, [shot]);
    else moment.push(shot);
  }
  return moments;
}

/** Evenly by place, the first and the last among them. */
function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  if (count === 1) return items.slice(0, 1);
  const places = Array.from({ length: count }, (_, index) =>
    Math.round((index * (items.length - 1)) / (count - 1)),
  );
  return places.flatMap((place) => items.slice(place, place + 1));
}

/** The moment nearest to each transition, in one pass over both. */
function nearTransitions(moments: readonly StoredShot[][], transitions: readonly number[]): StoredShot[][] {
  const chosen = new Set<StoredShot[]>();
  let at = 0;
  const distance = (index: number, instant: number) =>
    Math.abs((moments[index]?.[0]?.instant ?? Number.POSITIVE_INFINITY) - instant);
  for (const instant of transitions) {
    while (at + 1 < moments.length && distance(at + 1, instant) <= distance(at, instant)) at += 1;
    const moment = moments[at];
    if (moment !== undefined && distance(at, instant) <= NEAR) chosen.add(moment);
  }
  return [...chosen];
}
