import { shuffled } from '../statistics.ts';

/** Milliseconds per run, after a warm-up. */
export async function timed(rounds: number, work: () => Promise<unknown>): Promise<number[]> {
  await work();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** Milliseconds per run of several works, in rounds of random order, so that other load affects all of them. */
export async function timedInTurns<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(works) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (const name of names) await works[name]();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of shuffled(names)) {
      const startedAt = performance.now();
      await works[name]();
      times[name].push(performance.now() - startedAt);
    }
  }
  return times;
}
