import { inTurns } from '../statistics.ts';

/** Milliseconds per run, after a warm-up. */
export async function timed(rounds: number, work: () => Promise<unknown>): Promise<readonly number[]> {
  return (await timedInTurns(rounds, { work })).work;
}

/** Milliseconds per run of several works, after a warm-up. */
export async function timedInTurns<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, readonly number[]>> {
  const names = Object.keys(works) as Name[];
  for (const name of names) await works[name]();
  const times = await inTurns(rounds, names, async (name) => {
    const startedAt = performance.now();
    await works[name]();
    return performance.now() - startedAt;
  });
  return Object.fromEntries(times) as Record<Name, readonly number[]>;
}
