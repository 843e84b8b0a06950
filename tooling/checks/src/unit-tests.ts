import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, CheckResult } from './check.ts';
import { command } from './command.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: 'passed' | 'failed';
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo' | 'disabled';
    }[];
  }[];
}

const name = 'unit tests';

/** One result for each test. Vitest prints its own report meanwhile. */
export const unitTests: Check = {
  name,
  run: () =>
    withTemporaryFolder(async (folder) => {
      const report = join(folder, 'report.json');
      const options = [
        '--update=none',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${report}`,
      ];
      const { exitCode } = await command('vitest', ['run', ...options], {
        stdout: 'inherit',
        stderr: 'inherit',
      });
      const results = readResults(JSON.parse(readFileSync(report, 'utf8')) as VitestReport);
      const explained = results.some(({ status }) => status === 'failed');
      if (exitCode === 0 || explained) return results;
      return [...results, { name, status: 'failed', detail: `vitest ended with ${exitCode}` }];
    }),
};

function readResults({ testResults }: VitestReport): CheckResult[] {
  return testResults.flatMap(({ name: file, status, message, assertionResults }): CheckResult[] => {
    const tests = assertionResults.map((test) => ({ name: test.fullName, status: toStatus(test.status) }));
    const failedAsAWhole = status === 'failed' && tests.every((test) => test.status !== 'failed');
    return failedAsAWhole ? [...tests, { name: file, status: 'failed', detail: message }] : tests;
  });
}

function toStatus(status: string): CheckResult['status'] {
  return status === 'passed' || status === 'failed' ? status : 'skipped';
}
