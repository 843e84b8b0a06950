import type { Numbers, Ratio } from './benchmark.ts';

/** @throws RangeError if the list is empty */
export function minimum(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no values');
  return Math.min(...values);
}

/** @throws RangeError if the list is empty */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('no values');
  return (lower + upper) / 2;
}

/** What is measured, and its value in each round. */
export type Costs = ReadonlyMap<Named, readonly number[]>;

interface Named {
  readonly name: string;
}

const spread = (values: readonly number[]) => ({ minimum: minimum(values), median: median(values) });

/** @param unit for example "CPU, ms" */
export function spreads(costs: Costs, unit: string): Numbers {
  return Object.fromEntries([...costs].map(([{ name }, values]) => [`${name}, ${unit}`, spread(values)]));
}

/** @param what is compared, for example "CPU" */
export function ratio(
  costs: Costs,
  [subject, to]: readonly [Named, Named],
  what: string,
  atMost: number,
  statistic: typeof minimum = minimum,
): Ratio {
  return {
    title: `${subject.name} to ${to.name}, ${what}`,
    value: statistic(costs.get(subject) ?? []) / statistic(costs.get(to) ?? []),
    target: { atMost },
  };
}

/**
 * The median of the ratios of the rounds: the load of the machine changes from round to round.
 *
 * @param less what both contain, and what does not count
 */
export function pairedRatio(
  costs: Costs,
  [subject, to]: readonly [Named, Named],
  what: string,
  atMost: number,
  less?: Named,
): Ratio {
  const valuesOf = (each?: Named) => (each && costs.get(each)) ?? [];
  const [others, least] = [valuesOf(to), valuesOf(less)];
  const values = valuesOf(subject).map((cost, round) => {
    const base = least[round] ?? 0;
    return (cost - base) / ((others[round] ?? Number.NaN) - base);
  });
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN;
  return {
    title: `${subject.name} to ${to.name}, ${what}`,
    value: median(values),
    middleHalf: [at(0.25), at(0.75)],
    target: { atMost },
  };
}

/** The fastest run, as a part of a limit. */
export function limitRatio(title: string, limitMs: number, values: readonly number[] = []): Ratio {
  return { title, value: minimum(values) / limitMs, target: { atMost: 1 } };
}

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

/** What each subject costs, in rounds of random order, so that other load affects all of them. */
export async function inTurns<Subject, Cost>(
  rounds: number,
  subjects: readonly Subject[],
  measure: (subject: Subject) => Promise<Cost>,
): Promise<ReadonlyMap<Subject, readonly Cost[]>> {
  const costs = new Map(subjects.map((subject) => [subject, [] as Cost[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of shuffled(subjects)) costs.get(subject)?.push(await measure(subject));
  }
  return costs;
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
