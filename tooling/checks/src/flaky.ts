import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { command, runCheck } from './check.ts';
import { e2eFiles } from './tests.ts';
import { runE2e } from './vitest.ts';

const [count = '', pattern = ''] = process.argv.slice(2).toReversed();
const runs = Number(count);
const files = e2eFiles.filter((file) => file.includes(pattern));
if (!(runs > 0) || files.length === 0) {
  console.error('Usage: pnpm flaky [FILE] N\nRuns each e2e file N times, alone, while all cores are busy.');
  process.exit(1);
}

const { failed, all } = await command('pnpm', ['run', 'build']);
if (failed) {
  console.error(all);
  process.exit(1);
}
process.env['DESKSIDE_BUILT'] = '1';

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
    const results = await runCheck({ name: file, run: () => runE2e(file, [file]) });
    const failedTests = results.filter(({ status }) => status === 'failed');
    if (failedTests.length > 0) failedRuns += 1;
    failures.push(
      ...failedTests.map(
        ({ name, detail = '' }) => `  seed ${seed}: ${name}\n${detail.replaceAll(/^/gm, '    ')}`,
      ),
    );
  }
  const seconds = ((performance.now() - start) / 1000 / runs).toFixed(1);
  console.log([`${failedRuns} of ${runs} failed, ${seconds} s each: ${file}`, ...failures].join('\n'));
  if (failedRuns > 0) process.exitCode = 1;
}
process.exit();
