import type { Check } from './check.ts';
import { commandCheck } from './command.ts';
import { conformance } from './conformance.ts';
import { debianPackages } from './debian-packages.ts';
import { documentation } from './documentation.ts';
import { npmStart } from './npm-start.ts';
import { tarballs } from './tarballs/tarballs.ts';
import { unitTests } from './unit-tests.ts';

export const build: Check = commandCheck('build', 'pnpm', ['run', 'build']);

/** Read the files only; they run side by side. */
export const staticChecks: readonly Check[] = [
  commandCheck('types', 'tsc', ['-b']),
  commandCheck('lint', 'oxlint', ['--type-aware', '--deny-warnings']),
  commandCheck('format', 'oxfmt', ['--check']),
  commandCheck('unused', 'knip'),
  commandCheck('migrations fresh', 'pnpm', ['--recursive', '--if-present', 'run', 'migrations', '--check']),
  documentation,
];

/** Run the product; one after the other, so that they have the machine to themselves. */
export const productChecks: readonly Check[] = [debianPackages, npmStart, unitTests, conformance, tarballs];
