import pMap from 'p-map';
import { budgetCheck } from './budgets.ts';
import { type Check, type CheckResult, commandCheck, count, report, runCheck, summary } from './check.ts';
import { debianPackages } from './debian-packages.ts';
import { npmStart } from './npm-start.ts';
import { language } from './repository/language.ts';
import { tarballs } from './tarballs/tarballs.ts';
import { e2eTests, proofTests, unitTests } from './tests.ts';

const build = commandCheck('build', 'pnpm', ['run', 'build']);
const conformance: Check = {
  name: 'conformance',
  // Loads the packages, which need the page bundles that the build writes.
  run: async () => (await import('@deskside/conformance')).runConformance(),
};

/** These checks only read files. Two of them run at a time. */
const staticChecks: readonly Check[] = [
  commandCheck('types', 'turbo', ['run', 'types', '--output-logs=errors-only']),
  commandCheck('lint', 'oxlint', ['--type-aware', '--deny-warnings']),
  commandCheck('format', 'oxfmt', ['--check']),
  commandCheck('unused', 'knip'),
  commandCheck('migrations', 'pnpm', ['--recursive', '--if-present', 'run', 'migrations', '--check']),
  commandCheck('docs', 'node', ['tooling/checks/src/docs/generate.ts', '--check']),
  commandCheck('links', 'node', ['tooling/release/src/check-links.ts']),
  language,
  budgetCheck,
];

/**
 * One of these runs at a time: they change what is installed or built, or keep all cores busy. Beside other checks, the windows
 * of the last one come too late.
 */
const firstChecks: readonly Check[] = [debianPackages, npmStart, unitTests, e2eTests];

/** Two at a time: one waits for the times of its scenarios, the other for installations. */
const lastChecks: readonly Check[] = [tarballs, conformance];

const [mode, ...names] = process.argv.slice(2);
const known = [...staticChecks, ...firstChecks, ...lastChecks].map(({ name }) => name);
const unknown = names.filter((name) => !known.includes(name));

if ((mode !== 'test' && mode !== 'proof') || unknown.length > 0) {
  console.error(`Usage: npm test [-- CHECK...]\nChecks: ${known.join(', ')}`);
  process.exit(1);
}

// Soaks and random data run at full length.
if (mode === 'proof') process.env['DESKSIDE_PROOF'] = '1';

const results = [
  ...(await run(build)),
  ...(mode === 'proof'
    ? await runAll([debianPackages, ...proofTests, conformance], 1)
    : [
        ...(await runAll(staticChecks, 2)),
        ...(await runAll(firstChecks, 1)),
        ...(await runAll(lastChecks, 2)),
      ]),
];
// Again at the end, which is read first.
for (const { name, status } of results) if (status === 'failed') console.log(`failed: ${name}`);
console.log(summary(results));
process.exitCode = count(results, 'failed') > 0 ? 1 : 0;

/** `npm test -- lint tarballs` runs only these two checks, after the build. */
async function runAll(checks: readonly Check[], concurrency: number): Promise<CheckResult[]> {
  const wanted = checks.filter(({ name }) => names.length === 0 || names.includes(name));
  return (await pMap(wanted, run, { concurrency })).flat();
}

async function run(check: Check): Promise<readonly CheckResult[]> {
  const start = performance.now();
  const results = await runCheck(check);
  report(check, results, (performance.now() - start) / 1000);
  return results;
}
