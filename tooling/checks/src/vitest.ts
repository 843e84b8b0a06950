import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import pMap from 'p-map';
import type { JsonTestResults } from 'vitest/node';
import { type CheckResult, command } from './check.ts';

const TIMEOUT_MS = 3 * 3_600_000;

/**
 * Starts a program with its own processes, and without X displays, buses and login sessions: programs under test look for those
 * of the person on the whole machine, and would find those of other tests. The shell ends orphans.
 */
const WITHOUT_DISPLAYS = `mkdir -p /tmp/.X11-unix
for folder in /tmp/.X11-unix /run/dbus /run/user
do if [ -d $folder ]; then mount -t tmpfs -o mode=1777 tmpfs $folder || exit 1; fi
done
"$@"
exit $?`;
const SPACES = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const ISOLATED = [...SPACES, 'sh', '-c', WITHOUT_DISPLAYS, 'sh'];
const canIsolate = spawnSync('unshare', [...ISOLATED, 'true']).status === 0;

/** Runs files of `*.e2e.test.ts`. Where tests cannot be kept apart, one at a time. */
export async function runE2e(name: string, files: readonly string[]): Promise<CheckResult[]> {
  // A test waits a part of its time, so one more than there are cores runs.
  const concurrency = canIsolate ? availableParallelism() + 1 : 1;
  // Each start of Vitest costs a second, and the last one may end late. In a proof, a file takes minutes.
  const count =
    process.env['DESKSIDE_PROOF'] === '1' ? files.length : Math.min(files.length, 4 * concurrency);
  const shares = Array.from({ length: count }, (_, share) => files.filter((__, at) => at % count === share));
  const run = (share: readonly string[]) => runVitest(name, ['--maxWorkers=1', ...share], canIsolate);
  return (await pMap(shares, run, { concurrency })).flat();
}

/** One result per test. */
export async function runVitest(
  name: string,
  args: readonly string[],
  isIsolated = false,
): Promise<CheckResult[]> {
  using folder = temporaryFolder();
  const file = join(folder.path, 'report.json');
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`];
  const words = ['run', '--update=none', ...args, ...reporters];
  const { exitCode, all } = isIsolated
    ? await command('unshare', [...ISOLATED, 'vitest', ...words], { timeout: TIMEOUT_MS })
    : await command('vitest', words, { timeout: TIMEOUT_MS });
  return resultsOf(name, [file], exitCode, all);
}

/** A result per test of these reports. A missing report, and a failure that no test explains, are results, too. */
export function resultsOf(
  name: string,
  reports: readonly string[],
  exitCode: number | undefined,
  printed = '',
): CheckResult[] {
  const results = reports.flatMap((report) =>
    existsSync(report)
      ? resultsIn(report, printed)
      : [{ name, status: 'failed', detail: `lacks ${report}` } as const],
  );
  if (exitCode === 0 || results.some(({ status }) => status === 'failed')) return results;
  return [...results, { name, status: 'failed', detail: `exited with code ${exitCode}` }];
}

function resultsIn(file: string, printed: string): CheckResult[] {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as JsonTestResults;
  return testResults.flatMap(({ name: path, status, message, assertionResults }): CheckResult[] => {
    const tests = assertionResults.map((test): CheckResult => ({
      name: test.fullName,
      status: test.status === 'passed' || test.status === 'failed' ? test.status : 'skipped',
      detail: test.failureMessages?.join('\n') ?? '',
    }));
    const failedAsAWhole = status === 'failed' && tests.every((test) => test.status !== 'failed');
    // The message is empty if a hook of `describe` failed.
    const whole = { name: path, status: 'failed', detail: message || printed } as const;
    return failedAsAWhole ? tests.concat(whole) : tests;
  });
}
