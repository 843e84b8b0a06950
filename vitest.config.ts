import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const UNIT_TIMEOUT_MS = process.env['DESKSIDE_PROOF'] === '1' ? 600_000 : 20_000;
const folders = '{packages,apps,tooling}/*/src/**';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: availableParallelism(),
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [`${folders}/*.test.{ts,tsx}`],
          exclude: ['**/*.e2e.test.{ts,tsx}'],
          // The files that a worker runs share their modules: half the CPU time. No test changes a module.
          isolate: false,
          testTimeout: UNIT_TIMEOUT_MS,
          hookTimeout: UNIT_TIMEOUT_MS,
        },
      },
      // Tests that start processes, browsers or desktops.
      {
        extends: true,
        test: {
          name: 'e2e',
          include: [`${folders}/*.e2e.test.{ts,tsx}`],
          // As above: a tenth less CPU time.
          isolate: false,
          globalSetup: 'tooling/checks/src/build/before-e2e.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
