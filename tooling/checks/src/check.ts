import { execa } from 'execa';
import { root } from './workspace.ts';

export interface CheckResult {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** The reason for a failed or skipped result. */
  readonly detail?: string;
}

/** One part of `npm test`. An error that `run` throws counts as one failure. */
export interface Check {
  readonly name: string;
  run(): Promise<readonly CheckResult[]>;
}

/** Runs a check. A check without results fails: it found nothing to check. */
export async function runCheck(check: Check): Promise<readonly CheckResult[]> {
  const failed = (detail: string): CheckResult[] => [{ name: check.name, status: 'failed', detail }];
  try {
    const results = await check.run();
    return results.length > 0 ? results : failed('The check found nothing to check.');
  } catch (error) {
    return failed(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

/** One result: passed if the list of faults is empty. */
export function resultOf(name: string, faults: readonly string[]): CheckResult {
  return { name, status: faults.length > 0 ? 'failed' : 'passed', detail: faults.join('\n') };
}

/** Runs a program in the root of this repository. It never throws: the result has `failed` and all output. */
export const command = execa({
  cwd: root,
  preferLocal: true,
  localDir: import.meta.dirname,
  env: { TURBO_TELEMETRY_DISABLED: '1' },
  stdin: 'ignore',
  all: true,
  reject: false,
  timeout: 10 * 60_000,
});

/** One result: passed if the program exits with code 0. */
export async function commandResult(name: string, running: ReturnType<typeof command>): Promise<CheckResult> {
  const { failed, all, shortMessage } = await running;
  return resultOf(name, failed ? [shortMessage ?? '', all] : []);
}

export function commandCheck(name: string, file: string, args: readonly string[] = []): Check {
  return { name, run: async () => [await commandResult(name, command(file, args))] };
}

/** Prints one line per check, and the name and reason of each failed or skipped result. */
export function report({ name }: Check, results: readonly CheckResult[], seconds: number): void {
  const mark = count(results, 'failed') > 0 ? '✗' : '✓';
  const size = results.length === 1 ? '' : ` (${summary(results)})`;
  console.log(`${mark} ${name}${size} ${seconds.toFixed(1)} s`);
  for (const { name: subject, status, detail = '' } of results) {
    if (status === 'passed') continue;
    console.log(`  ${status}: ${subject}`);
    if (detail !== '') console.log(detail.replaceAll(/^/gm, '    '));
  }
}

/** The counting line, for example "3 passed, 0 failed, 1 skipped". */
export function summary(results: readonly CheckResult[]): string {
  const statuses = ['passed', 'failed', 'skipped'] as const;
  return statuses.map((status) => `${count(results, status)} ${status}`).join(', ');
}

export function count(results: readonly CheckResult[], status: CheckResult['status']): number {
  return results.filter((result) => result.status === status).length;
}
