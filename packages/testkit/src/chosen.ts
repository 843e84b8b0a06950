import { IS_PROOF, SEED } from '@deskside/core/testing/random';
import { beforeEach } from 'vitest';

/** Of what takes over a minute, `npm test` runs one of `parts` parts: its seed chooses which. A proof runs all. */
export function isChosen(place: number, parts: number): boolean {
  return IS_PROOF || (place + SEED) % parts === 0;
}

/** The rows of a table that run. */
export function chosenRows<Row>(rows: readonly Row[], parts: number): readonly Row[] {
  return rows.filter((_, place) => isChosen(place, parts));
}

/** For a file that takes over a minute: one of `parts` parts of its tests runs. */
export function choosePart(parts: number): void {
  let place = 0;
  beforeEach(({ skip }) => skip(!isChosen(place++, parts), 'another seed'));
}
