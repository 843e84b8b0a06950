import { beforeEach } from 'vitest';

const IS_PROOF = process.env['DESKSIDE_PROOF'] === '1';
/** The variable repeats the choice of a day: its number since 1970. */
const DAY = Number(process.env['DESKSIDE_DAY'] ?? Math.floor(Date.now() / 86_400_000));

/** Of what takes over a minute, `npm test` runs one of `parts` parts, another one each day. A proof runs all. */
export function isToday(place: number, parts: number): boolean {
  return IS_PROOF || (place + DAY) % parts === 0;
}

/** The rows of a table that run today. */
export function rowsOfToday<Row>(rows: readonly Row[], parts: number): readonly Row[] {
  return rows.filter((_, place) => isToday(place, parts));
}

/** For a file that takes over a minute: one of `parts` parts of its tests runs each day. */
export function partOfToday(parts: number): void {
  let place = 0;
  beforeEach(({ skip }) => skip(!isToday(place++, parts), 'another day'));
}
