import type { Check, CheckResult } from './check.ts';

/** Prints a line for a check, and below it what failed or was skipped and why. */
export function report(check: Check, results: readonly CheckResult[], seconds: number): void {
  if (results.length === 0) return;
  const mark = count(results, 'failed') > 0 ? '✗' : '✓';
  const size = results.length === 1 ? '' : ` (${summary(results)})`;
  console.log(`${mark} ${check.name}${size} ${seconds.toFixed(1)} s`);
  for (const { name, status, detail = '' } of results) {
    if (status === 'passed') continue;
    console.log(`  ${status}: ${name}`);
    if (detail !== '') console.log(detail.replaceAll(/^/gm, '    '));
  }
}

export function summary(results: readonly CheckResult[]): string {
  const statuses = ['passed', 'failed', 'skipped'] as const;
  return statuses.map((status) => `${count(results, status)} ${status}`).join(', ');
}

export function count(results: readonly CheckResult[], status: CheckResult['status']): number {
  return results.filter((result) => result.status === status).length;
}
