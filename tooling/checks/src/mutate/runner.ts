import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cleanEnvironment } from '@deskside/testkit';
import { BaseSequencer, createVitest, type TestSpecification } from 'vitest/node';
import { root } from '../workspace.ts';

/** A test file, and what it does without a mutant. */
export interface Baseline {
  readonly file: TestSpecification;
  readonly ms: number;
  /** The mutants that the file meets. */
  readonly met: ReadonlySet<string>;
}

/** Wall time: the machine may be busy, and a new process reads modules that the baseline found in memory. */
const LIMIT_FACTOR = 5;
const LIMIT_EXTRA_MS = 3000;

class GivenOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files);
  }
}

/**
 * One Vitest for all runs of a package.
 *
 * @param directory the folder of the package, from the root
 * @param folder for what the preloaded module reads and writes, and the home of the tests: a mutant may write anywhere
 * @param sources of the product with all mutants, by absolute path
 */
export async function openRunner(
  directory: string,
  folder: string,
  sources: Readonly<Record<string, string>>,
) {
  const met = join(folder, 'met');
  const home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(met, '');
  writeFileSync(join(folder, 'sources.json'), JSON.stringify(sources));
  // Some tests go on as another user.
  chmodSync(folder, 0o755);
  chmodSync(met, 0o666);
  const preload = pathToFileURL(join(import.meta.dirname, 'preload.ts'));
  preload.searchParams.set('folder', folder);
  const vitest = await createVitest(
    {
      root,
      config: false,
      watch: false,
      update: 'none',
      include: [`${directory}/src/**/*.test.{ts,tsx}`],
      exclude: ['**/*.e2e.test.{ts,tsx}'],
      pool: 'forks',
      isolate: false,
      maxWorkers: 1,
      bail: 1,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 20_000 } },
      execArgv: ['--max-old-space-size=1500', '--import', preload.href],
      env: cleanEnvironment(home),
      silent: true,
      reporters: [{}],
      fsModuleCache: false,
      sequence: { sequencer: GivenOrder },
    },
    {
      plugins: [
        {
          name: 'mutants',
          enforce: 'pre',
          transform: (_code, id) => {
            const code = sources[id];
            return code === undefined ? undefined : { code, map: null };
          },
        },
      ],
    },
  );
  const run = async (files: readonly TestSpecification[], mutant?: string, limitMs?: number) => {
    writeFileSync(join(folder, 'run.json'), JSON.stringify({ mutant, limitMs }));
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications([...files]);
    // Vitest adds the modules of earlier runs.
    const modules = testModules.filter(({ moduleId }) => files.some((file) => file.moduleId === moduleId));
    return unhandledErrors.length === 0 && modules.every((module) => module.ok());
  };
  return {
    files: await vitest.globTestSpecifications(),
    /** Runs one test file. @throws Error if it fails */
    async measure(file: TestSpecification): Promise<Baseline> {
      writeFileSync(met, '');
      const start = performance.now();
      if (!(await run([file]))) throw new Error(`${file.moduleId} fails without a mutant.`);
      const ms = performance.now() - start;
      return { file, ms, met: new Set(readFileSync(met, 'utf8').split('\n')) };
    },
    /** Runs test files until one fails. @returns whether all passed */
    passes(mutant: string, tests: readonly Baseline[]): Promise<boolean> {
      const limitMs = tests.reduce((sum, { ms }) => sum + ms * LIMIT_FACTOR + LIMIT_EXTRA_MS, 0);
      const files = tests.map(({ file }) => file);
      return run(files, mutant, limitMs);
    },
    [Symbol.asyncDispose]: () => vitest.close(),
  };
}
