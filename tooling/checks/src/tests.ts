import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { type Check, type CheckResult, command } from './check.ts';
import { packages, root } from './workspace.ts';

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: 'passed' | 'failed';
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo' | 'disabled';
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

const shown = { stdout: 'inherit', stderr: 'inherit', timeout: 3 * 3_600_000 } as const;

/**
 * Tests that run in this process, package by package. turbo repeats the last results of a package if no file has changed that
 * they depend on; `isForced` runs them again.
 */
export function unitTests(isForced: boolean): Check {
  return {
    name: 'unit',
    async run() {
      const tested = packages.filter(({ manifest }) => manifest.scripts?.['test'] !== undefined);
      const reports = tested.map(({ directory }) => join(directory, '.turbo/unit.json'));
      for (const report of reports) rmSync(report, { force: true });
      // Tests wait a part of their time.
      const args = ['run', 'test', '--concurrency=3', '--continue', '--output-logs=errors-only'];
      const { exitCode } = await command('turbo', isForced ? [...args, '--force'] : args, shown);
      const results = reports.flatMap((report, place) =>
        existsSync(report)
          ? resultsIn(report)
          : [{ name: `unit tests of ${tested[place]?.name}`, status: 'failed' as const }],
      );
      return explained('unit', results, exitCode);
    },
  };
}

/** Tests that start processes, browsers or desktops: never from a cache. */
export const e2eTests: Check = {
  name: 'e2e',
  // One file at a time: the programs look for the person's display on the whole machine, and would find that of another test.
  run: () => runVitest('e2e', ['--project=e2e', '--maxWorkers=1']),
};

/** The tests of one file, in silence. */
export function testsIn(file: string): Check {
  return { name: file, run: () => runVitest(file, ['--maxWorkers=1', file], {}) };
}

/** Names in a test that a proof makes longer. The others are the same in `npm test`. */
const LONGER = /DESKSIDE_PROOF|IS_PROOF|randomSeeds|isChosen|chosenRows|choosePart/;

const isInProof = (file: string) =>
  file.includes('.proof.') || LONGER.test(readFileSync(join(root, file), 'utf8'));

/** A part per package, with the plain word of its name, and one for the tooling. */
export function proofTests(): readonly Check[] {
  const tests = globSync('{packages,apps,tooling}/*/src/**/*.test.{ts,tsx}', { cwd: root });
  const parts = Map.groupBy(tests.toSorted().filter(isInProof), (file) => {
    const [folder = '', name = ''] = file.split(sep);
    return folder === 'tooling' ? folder : name.replace(/^notify-|-notify$/, '');
  });
  return Array.from(parts, ([name, files]) => {
    // Beside tests that keep pace with a clock nothing else may run: a comment in them says so.
    const alone = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('Runs alone'));
    const beside = files.filter((file) => !alone.includes(file));
    return {
      name,
      run: async () => [
        ...(beside.length > 0 ? await runVitest(name, beside) : []),
        ...(alone.length > 0 ? await runVitest(name, ['--maxWorkers=1', ...alone]) : []),
      ],
    };
  });
}

/** One result per test. Vitest prints its own report before. */
async function runVitest(
  name: string,
  args: readonly string[],
  output: object = shown,
): Promise<CheckResult[]> {
  using folder = temporaryFolder();
  const file = join(folder.path, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { exitCode } = await command('vitest', ['run', '--update=none', ...args, ...reporters], output);
  return explained(name, resultsIn(file), exitCode);
}

function resultsIn(file: string): CheckResult[] {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as VitestReport;
  return testResults.flatMap(({ name: path, status, message, assertionResults }): CheckResult[] => {
    const tests = assertionResults.map((test): CheckResult => ({
      name: test.fullName,
      status: test.status === 'passed' || test.status === 'failed' ? test.status : 'skipped',
      detail: test.failureMessages.join('\n'),
    }));
    const failedAsAWhole = status === 'failed' && tests.every((test) => test.status !== 'failed');
    return failedAsAWhole ? tests.concat({ name: path, status: 'failed', detail: message }) : tests;
  });
}

/** A failure that no test explains is one more result. */
function explained(
  name: string,
  results: readonly CheckResult[],
  exitCode: number | undefined,
): CheckResult[] {
  if (exitCode === 0 || results.some(({ status }) => status === 'failed')) return [...results];
  return [...results, { name, status: 'failed', detail: `exited with code ${exitCode}` }];
}
