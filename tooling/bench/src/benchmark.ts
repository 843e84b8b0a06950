/** One section of docs/benchmarks.md. Listed in benchmarks.ts. */
export interface Benchmark {
  /** Kebab-case: `pnpm bench <name>` runs it. */
  readonly name: string;
  readonly title: string;
  /** Throws when what it measures isn't there (a bin that wasn't built, for example). */
  run(): Promise<BenchmarkReport>;
}

/** All texts are Markdown without headings and name no path of the machine. */
export interface BenchmarkReport {
  /** What was measured against what, and why that comparison is fair: one paragraph. */
  readonly compared: string;
  /** How it was measured, so that somebody else gets the same: rounds, clock, statistic. One paragraph. */
  readonly method: string;
  readonly tables: readonly Table[];
  readonly ratios: readonly Ratio[];
  /** What the numbers don't say: one sentence each. */
  readonly caveats?: readonly string[];
}

export interface Table {
  /** Printed above the table where a report has several. */
  readonly caption?: string;
  /** The first column names the rows; units belong in the heading ("CPU min, ms"). */
  readonly columns: readonly string[];
  /** One cell a column; the author rounds. */
  readonly rows: readonly (readonly (string | number)[])[];
}

export interface Ratio {
  /** "todo to a bare server, CPU min" */
  readonly title: string;
  readonly value: number;
  /** What the project holds itself to. Reported, never asserted. */
  readonly target?: { readonly atMost: number } | { readonly atLeast: number };
}
