import { globSync, readFileSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type Check, command } from './check.ts';
import { resultsOf, runE2e, runVitest } from './vitest.ts';
import { packages, root } from './workspace.ts';

const files = globSync('{packages,apps,tooling}/*/src/**/*.test.{ts,tsx}', { cwd: root }).toSorted();
const contentOf = (file: string) => readFileSync(join(root, file), 'utf8');
const isE2e = (file: string) => file.includes('.e2e.test.');
const isProofOnly = (file: string) => file.includes('.proof.');

/** Those that `npm test` runs. */
export const e2eFiles: readonly string[] = files.filter((file) => isE2e(file) && !isProofOnly(file));

/**
 * Tests that run in this process, package by package. turbo repeats the last results of a package if no file has changed that
 * they depend on; `isForced` runs them again.
 */
export function unitTests(isForced: boolean): Check {
  return {
    name: 'unit',
    async run() {
      const tested = packages.filter(({ manifest }) => manifest.scripts?.['test'] !== undefined);
      const reports = tested.map(({ directory }) => join(directory, '.turbo/unit.json'));
      for (const report of reports) rmSync(report, { force: true });
      // Tests wait a part of their time.
      const args = ['run', 'test', '--concurrency=3', '--continue', '--output-logs=errors-only'];
      const shown = { stdout: 'inherit', stderr: 'inherit' } as const;
      const { exitCode } = await command('turbo', isForced ? [...args, '--force'] : args, shown);
      return resultsOf('unit', reports, exitCode);
    },
  };
}

/** Tests that start processes, browsers or desktops: never from a cache. */
export const e2eTests: Check = { name: 'e2e', run: () => runE2e('e2e', e2eFiles) };

/** Names in a test that a proof makes longer. The others are the same in `npm test`. */
const LONGER = /DESKSIDE_PROOF|IS_PROOF|randomSeeds|isChosen|chosenRows|choosePart/;
/** A comment of tests that keep pace with a clock: nothing else may run. */
const ALONE = 'Runs alone';

/** A part per package, with the plain word of its name, one for what runs alone of it, and one for the tooling. */
export function proofTests(): readonly Check[] {
  const longer = files.filter((file) => isProofOnly(file) || LONGER.test(contentOf(file)));
  const parts = Map.groupBy(longer, (file) => {
    const [folder = '', name = ''] = file.split(sep);
    const part = folder === 'tooling' ? folder : name.replace(/^notify-|-notify$/, '');
    return contentOf(file).includes(ALONE) ? `${part}-alone` : part;
  });
  return Array.from(parts, ([name, part]) => ({
    name,
    async run() {
      if (name.endsWith('-alone')) return runVitest(name, ['--maxWorkers=1', ...part], true);
      const unit = part.filter((file) => !isE2e(file));
      const e2e = part.filter(isE2e);
      return [...(unit.length > 0 ? await runVitest(name, unit) : []), ...(await runE2e(name, e2e))];
    },
  }));
}
