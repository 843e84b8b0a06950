export interface CheckResult {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped. */
  readonly detail?: string;
}

/** Something that `npm test` looks at. What it throws counts as one failure. */
export interface Check {
  readonly name: string;
  run(): Promise<readonly CheckResult[]>;
}

export function resultOf(name: string, faults: readonly string[]): CheckResult {
  return faults.length > 0
    ? { name, status: 'failed', detail: faults.join('\n') }
    : { name, status: 'passed' };
}
