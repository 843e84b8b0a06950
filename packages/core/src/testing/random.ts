/** Whether random tests, races and soaks run at full length: in `npm run proof`. */
export const IS_PROOF: boolean = process.env['DESKSIDE_PROOF'] === '1';

/** What random tests begin with. `vitest.config.ts` takes it from the commit, and a proof takes a fresh one. */
export const SEED = Number(process.env['DESKSIDE_SEED'] ?? 1);

/** Seeds for a test that makes its own random data. */
export function randomSeeds(usual: number, inProof: number): readonly number[] {
  return Array.from({ length: IS_PROOF ? inProof : usual }, (_, place) => SEED + place);
}

/** A random number generator (mulberry32). */
export function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
