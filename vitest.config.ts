import { defineConfig } from 'vitest/config';

const folders = '{packages,apps,tooling}/*/src/**';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [`${folders}/*.test.{ts,tsx}`],
          exclude: ['**/*.e2e.test.{ts,tsx}'],
        },
      },
      // Tests that start processes, browsers or desktops.
      { extends: true, test: { name: 'e2e', include: [`${folders}/*.e2e.test.{ts,tsx}`] } },
    ],
  },
});
