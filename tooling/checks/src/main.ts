import pMap from 'p-map';
import type { Check, CheckResult } from './check.ts';
import { build, productChecks, staticChecks } from './checks.ts';
import { count, report, summary } from './report.ts';

const wanted = process.argv.slice(2);

const results = [
  ...(await runOne(build)),
  ...(await runAll(staticChecks, 2)),
  ...(await runAll(productChecks, 1)),
];
console.log(summary(results));
process.exitCode = count(results, 'failed') > 0 ? 1 : 0;

/** `npm test -- lint tarballs` runs only these. */
function isWanted({ name }: Check): boolean {
  return wanted.length === 0 || wanted.includes(name);
}

async function runAll(checks: readonly Check[], concurrency: number): Promise<CheckResult[]> {
  return (await pMap(checks.filter(isWanted), runOne, { concurrency })).flat();
}

async function runOne(check: Check): Promise<readonly CheckResult[]> {
  const start = performance.now();
  const results = await check.run().catch((error: unknown): CheckResult[] => {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [{ name: check.name, status: 'failed', detail }];
  });
  report(check, results, (performance.now() - start) / 1000);
  return results;
}
