import { parseArgs } from 'node:util';
import { temporaryFolder } from '@deskside/core/testing';
import pMap from 'p-map';
import { budgetCheck } from './budgets.ts';
import { type Check, type CheckResult, commandCheck, count, report, runCheck, summary } from './check.ts';
import { debianPackages } from './debian-packages.ts';
import { npmStart } from './npm-start.ts';
import { freshSeed, seedOfCommit } from './seed.ts';
import { tarballs } from './tarballs/tarballs.ts';
import { e2eTests, proofTests, unitTests } from './tests.ts';

interface Group {
  readonly checks: readonly Check[];
  /** How many of them run at a time. */
  readonly concurrency: number;
}

const build = commandCheck('build', 'pnpm', ['run', 'build']);
const turbo = (task: string): Check =>
  commandCheck(task, 'turbo', ['run', task, '--continue', '--concurrency=2', '--output-logs=errors-only']);
const conformance: Check = {
  name: 'conformance',
  // Loads the packages, which need the page bundles that the build writes.
  run: async () => (await import('@deskside/conformance')).runConformance(),
};

const groupsOfTest = (isSeedGiven: boolean): readonly Group[] => [
  // What most changes break comes first, on all cores.
  { concurrency: 1, checks: [turbo('types'), turbo('lint'), unitTests(isSeedGiven)] },
  // These only read files.
  {
    concurrency: 2,
    checks: [
      commandCheck('format', 'oxfmt', ['--check']),
      commandCheck('unused', 'knip'),
      commandCheck('migrations', 'pnpm', ['--recursive', '--if-present', 'run', 'migrations', '--check']),
      commandCheck('docs', 'node', ['tooling/checks/src/docs/generate.ts', '--check']),
      budgetCheck,
    ],
  },
  // These change what is installed or built, or keep all cores busy. Beside other checks, the windows of the last one come too late.
  { concurrency: 1, checks: [debianPackages, npmStart, e2eTests] },
  // One waits for the times of its scenarios, the other for installations.
  { concurrency: 2, checks: [tarballs, conformance] },
];

const groupsOfProof = (): readonly Group[] => [
  { concurrency: 1, checks: [debianPackages, ...proofTests(), conformance] },
];

const [mode, ...args] = process.argv.slice(2);
const isProof = mode === 'proof';
const { values, positionals: names } = parseArgs({
  args,
  options: { seed: { type: 'string' } },
  allowPositionals: true,
});
const groups = isProof ? groupsOfProof() : groupsOfTest(values.seed !== undefined);
const known = groups.flatMap(({ checks }) => checks.map(({ name }) => name));
const seed = Number(values.seed ?? (isProof ? freshSeed() : seedOfCommit()));

if (names.some((name) => !known.includes(name)) || !Number.isInteger(seed)) {
  console.error(
    `Usage: npm ${isProof ? 'run proof' : 'test'} [-- [--seed N] CHECK...]\nChecks: ${known.join(', ')}`,
  );
  process.exit(1);
}

// The tests, and the programs that they start, take both from here.
process.env['DESKSIDE_SEED'] = String(seed);
if (isProof) process.env['DESKSIDE_PROOF'] = '1';
console.log(`Random tests begin with seed ${seed}; --seed ${seed} repeats them.`);

// Each file is compiled once for all starts of a run: half the CPU time of a start from sources.
using compiled = temporaryFolder();
process.env['NODE_COMPILE_CACHE'] = compiled.path;

const results = [...(await run(build))];
// No test builds again what others read.
process.env['DESKSIDE_BUILT'] = '1';
for (const { checks, concurrency } of groups) {
  const wanted = checks.filter(({ name }) => names.length === 0 || names.includes(name));
  results.push(...(await pMap(wanted, run, { concurrency })).flat());
}
// Again at the end, which is read first.
for (const { name, status } of results) if (status === 'failed') console.log(`failed: ${name}`);
console.log(summary(results));
process.exitCode = count(results, 'failed') > 0 ? 1 : 0;

async function run(check: Check): Promise<readonly CheckResult[]> {
  const start = performance.now();
  const results = await runCheck(check);
  report(check, results, (performance.now() - start) / 1000);
  return results;
}
