import { inTurns } from '../statistics.ts';

/** Milliseconds per run of several works, after a warm-up. */
export async function timed<Work>(
  rounds: number,
  works: readonly Work[],
  run: (work: Work) => Promise<unknown>,
): Promise<ReadonlyMap<Work, readonly number[]>> {
  for (const work of works) await run(work);
  return inTurns(rounds, works, async (work) => {
    const startedAt = performance.now();
    await run(work);
    return performance.now() - startedAt;
  });
}
