import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { command, count, report, runCheck } from './check.ts';
import { e2eFiles } from './tests.ts';
import { runE2e } from './vitest.ts';

const [times = '', pattern = ''] = process.argv.slice(2).toReversed();
const runs = Number(times);
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
  const check = { name: file, run: () => runE2e(file, [file]) };
  let failedRuns = 0;
  // The seed chooses other values, and of long files other tests.
  for (let seed = 1; seed <= runs; seed += 1) {
    process.env['DESKSIDE_SEED'] = String(seed);
    const start = performance.now();
    const results = await runCheck(check);
    if (count(results, 'failed') === 0) continue;
    failedRuns += 1;
    report({ ...check, name: `${file} with seed ${seed}` }, results, (performance.now() - start) / 1000);
  }
  console.log(`${failedRuns} of ${runs} failed: ${file}`);
  if (failedRuns > 0) process.exitCode = 1;
}
process.exit();
