import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { seedOfCommit } from './tooling/checks/src/seed.ts';

const IS_PROOF = process.env['DESKSIDE_PROOF'] === '1';
/**
 * Longer than what a test waits for with a limit, so that a failure names what did not come. A part of a proof takes a quarter
 * of an hour, on a slow machine twice as long.
 */
const TIMEOUT_MS = IS_PROOF ? 30 * 60_000 : 120_000;
/**
 * The script `test` of a package runs in its folder, others beside it. turbo keeps the report, and `npm test` counts it. A
 * second worker would load the modules of the package again.
 */
const isPackage = process.cwd() !== import.meta.dirname;

process.env['DESKSIDE_SEED'] ??= String(seedOfCommit());

export default defineConfig({
  test: {
    pool: 'forks',
    // A test waits a part of its time, so one more than there are cores runs. Two more are not faster. Soaks need their cores.
    maxWorkers: isPackage ? 1 : availableParallelism() + (IS_PROOF ? 0 : 1),
    reporters: isPackage ? ['default', ['json', { outputFile: '.turbo/unit.json' }]] : ['default'],
    setupFiles: join(import.meta.dirname, 'tooling/checks/src/vitest-setup.ts'),
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['**/src/**/*.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', '**/*.e2e.test.{ts,tsx}'],
          expect: { poll: { interval: 10 } },
          // The files that a worker runs share their modules: half the CPU time. No test changes a module.
          isolate: false,
        },
      },
      // Tests that start processes, browsers or desktops.
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['**/src/**/*.e2e.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', ...(IS_PROOF ? [] : ['**/*.proof.e2e.test.ts'])],
          // As above: a tenth less CPU time.
          isolate: false,
          globalSetup: join(import.meta.dirname, 'tooling/checks/src/build/before-e2e.ts'),
        },
      },
    ],
  },
});
