import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { runCheck } from './check.ts';
import { testsIn } from './tests.ts';
import { root } from './workspace.ts';

const [count = '', pattern = ''] = process.argv.slice(2).toReversed();
const runs = Number(count);
const files = globSync('{packages,apps,tooling}/*/src/**/*.e2e.test.ts', { cwd: root })
  .filter((file) => file.includes(pattern) && !file.includes('.proof.'))
  .toSorted();
if (!(runs > 0) || files.length === 0) {
  console.error('Usage: pnpm flaky [FILE] N\nRuns each e2e file N times, alone, while all cores are busy.');
  process.exit(1);
}

/** Other programs that use all cores. */
const busy = Array.from({ length: availableParallelism() }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);
process.on('exit', () => busy.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

for (const file of files) {
  const failures: string[] = [];
  let failedRuns = 0;
  const start = performance.now();
  // The seed chooses other values, and of long files other tests.
  for (let seed = 1; seed <= runs; seed += 1) {
    process.env['DESKSIDE_SEED'] = String(seed);
    const results = await runCheck(testsIn(file));
    const failed = results.filter(({ status }) => status === 'failed');
    if (failed.length > 0) failedRuns += 1;
    failures.push(
      ...failed.map(
        ({ name, detail = '' }) => `  seed ${seed}: ${name}\n${detail.replaceAll(/^/gm, '    ')}`,
      ),
    );
  }
  const seconds = ((performance.now() - start) / 1000 / runs).toFixed(1);
  console.log([`${failedRuns} of ${runs} failed, ${seconds} s each: ${file}`, ...failures].join('\n'));
  if (failedRuns > 0) process.exitCode = 1;
}
process.exit();
