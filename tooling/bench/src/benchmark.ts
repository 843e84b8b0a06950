/** One section of docs/benchmarks.md. Listed in main.ts. */
export interface Benchmark {
  /** Kebab-case: `pnpm bench <name>` runs it. */
  readonly name: string;
  readonly title: string;
  /** @throws Error if the subject does not exist, for example a bin that is not built */
  run(): Promise<BenchmarkReport>;
}

/** All texts are Markdown without headings and without paths of this machine. */
export interface BenchmarkReport {
  /** What is compared, and why the comparison is fair: one paragraph. */
  readonly compared: string;
  /** How to repeat the measurement: rounds, clock, statistic. One paragraph. */
  readonly method: string;
  readonly tables: readonly Table[];
  readonly ratios: readonly Ratio[];
  /** Limits of the numbers: one sentence each. */
  readonly caveats?: readonly string[];
}

export interface Table {
  /** Printed above the table, if a report has several. */
  readonly caption?: string;
  /** The first column names the rows; units belong in the heading ("CPU min, ms"). */
  readonly columns: readonly string[];
  /** One cell per column, already rounded. */
  readonly rows: readonly (readonly (string | number)[])[];
}

export interface Ratio {
  /** "todo to a bare server, CPU min" */
  readonly title: string;
  readonly value: number;
  /** The project's target. Reported, not asserted. */
  readonly target?: { readonly atMost: number } | { readonly atLeast: number };
}
