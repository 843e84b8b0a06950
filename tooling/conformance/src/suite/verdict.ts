import type { SuiteCheck, SuiteRun } from './suite.ts';

export interface ScenarioResult {
  /** `conformance 2026-07-28 direct: tools-list` */
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Why it failed, or what the suite warns of. */
  readonly detail?: string;
}

/** A scenario fails as it does for the suite, by one failed check, and also where nothing was checked. */
export function verdict(
  name: string,
  scenario: string,
  { checks: all, ending = '' }: SuiteRun,
): ScenarioResult {
  const checks = all.get(scenario);
  if (checks === undefined) return { name, status: 'failed', detail: `The suite left no result. ${ending}` };
  const failures = explained(checks, 'FAILURE');
  if (failures !== '') return { name, status: 'failed', detail: failures };
  const checked = checks.some(({ status }) => status === 'SUCCESS');
  if (!checked) return { name, status: 'failed', detail: 'The suite checked nothing.' };
  const warnings = explained(checks, 'WARNING');
  return { name, status: 'passed', ...(warnings === '' ? {} : { detail: warnings }) };
}

function explained(checks: readonly SuiteCheck[], wanted: SuiteCheck['status']): string {
  return checks
    .filter(({ status }) => status === wanted)
    .map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage ?? 'no message'}`)
    .join('\n');
}
