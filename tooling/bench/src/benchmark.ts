/** One section of docs/benchmarks.md. Listed in benchmarks.ts. All texts are Markdown without headings. */
export interface Benchmark {
  /** Kebab-case: `pnpm bench <name>` runs it. */
  readonly name: string;
  readonly title: string;
  /** What is compared, and how to repeat the measurement: rounds, clock, statistic. */
  readonly method: string;
  /** Why a target is missed, by the title of its ratio: one sentence without its period. */
  readonly misses?: Readonly<Record<string, string>>;
  /** @throws Error if the subject does not exist, for example a bin that is not built */
  run(): Promise<Figures>;
}

/** What was measured, without paths of this machine. Stored in results.json. */
export interface Figures {
  readonly numbers: Numbers;
  readonly ratios: readonly Ratio[];
}

/** By what was measured and the unit: "deskside-todo, CPU, ms". */
export type Numbers = Readonly<Record<string, number | Spread>>;

/** Of the rounds of a measurement. */
export interface Spread {
  readonly minimum: number;
  readonly median: number;
}

export interface Ratio {
  /** "todo to a bare server, CPU min" */
  readonly title: string;
  readonly value: number;
  /** Between which the middle half of the rounds lies. */
  readonly middleHalf?: readonly [number, number];
  /** The project's target. Reported, not asserted. */
  readonly target: { readonly atMost: number } | { readonly atLeast: number };
}

export interface Result extends Figures {
  /** Day: "2026-11-21". */
  readonly measured: string;
  /** "Node.js 24.19.0, linux x64, 2 cores" */
  readonly machine: string;
}

/** By the name of the benchmark. */
export type Results = Readonly<Record<string, Result>>;
