import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { type Check, type CheckResult, command } from './check.ts';
import { root } from './workspace.ts';

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

const shown = { stdout: 'inherit', stderr: 'inherit', timeout: 3 * 3_600_000 } as const;
/** The root script `unit` writes it, and turbo restores it from its cache. */
const unitReport = join(root, '.cache/unit.json');

/** Tests that run in this process. turbo repeats the last results if no file has changed. */
export const unitTests: Check = {
  name: 'unit',
  async run() {
    rmSync(unitReport, { force: true });
    const { exitCode } = await command('turbo', ['run', 'unit', '--output-logs=new-only'], shown);
    return readReport('unit', unitReport, exitCode);
  },
};

/** Tests that start processes, browsers or desktops: never from a cache. */
export const e2eTests: Check = vitestCheck('e2e', ['--project=e2e']);

/** The tests that a proof makes longer, or that run only in it. The others are the same in `npm test`. */
const proofFiles = (isAlone: boolean) =>
  globSync('{packages,apps,tooling}/*/src/**/*.test.{ts,tsx}', { cwd: root }).filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return /DESKSIDE_PROOF|OfToday|isToday/.test(text) && text.includes('Runs alone') === isAlone;
  });
/** Beside tests that keep pace with a clock nothing else may run: a comment in them says so. */
export const proofTests: readonly Check[] = [
  vitestCheck('proof', proofFiles(false)),
  vitestCheck('proof alone', ['--maxWorkers=1', ...proofFiles(true)]),
];

function vitestCheck(name: string, args: readonly string[]): Check {
  return {
    name,
    async run() {
      using folder = temporaryFolder();
      const file = join(folder.path, 'report.json');
      const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
      const { exitCode } = await command('vitest', ['run', '--update=none', ...args, ...reporters], shown);
      return readReport(name, file, exitCode);
    },
  };
}

/** One result per test. Vitest has printed its own report before. */
function readReport(name: string, file: string, exitCode: number | undefined): CheckResult[] {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as VitestReport;
  const results = testResults.flatMap(({ name: path, status, message, assertionResults }): CheckResult[] => {
    const tests = assertionResults.map((test): CheckResult => ({
      name: test.fullName,
      status: test.status === 'passed' || test.status === 'failed' ? test.status : 'skipped',
    }));
    const failedAsAWhole = status === 'failed' && tests.every((test) => test.status !== 'failed');
    return failedAsAWhole ? tests.concat({ name: path, status: 'failed', detail: message }) : tests;
  });
  const explained = results.some(({ status }) => status === 'failed');
  if (exitCode === 0 || explained) return results;
  return [...results, { name, status: 'failed', detail: `vitest exited with code ${exitCode}` }];
}
