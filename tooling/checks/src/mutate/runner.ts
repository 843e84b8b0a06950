import { join, relative } from 'node:path';
import { BaseSequencer, createVitest, type TestModule, type TestSpecification } from 'vitest/node';
import { root } from '../workspace.ts';

export interface Baseline {
  readonly file: TestSpecification;
  readonly ms: number;
  /** Indexes of the points that the file executes. */
  readonly hits: ReadonlySet<number>;
}

export interface Runner extends AsyncDisposable {
  readonly files: readonly TestSpecification[];
  /** Gives the tests another source of a product file, or its own one again, without a change on the disk. */
  replace(path: string, code: string | undefined): void;
  /** Runs one test file. @throws Error if it fails */
  measure(file: TestSpecification): Promise<Baseline>;
  /** Runs test files until one fails. @returns whether all passed */
  passes(files: readonly TestSpecification[]): Promise<boolean>;
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
 * @param home the home folder of the tests: a mutant may write where it should not
 */
export async function openRunner(directory: string, home: string): Promise<Runner> {
  const replaced = new Map<string, string>();
  const vitest = await createVitest(
    {
      root,
      config: false,
      watch: false,
      update: 'none',
      include: [`${directory}/src/**/*.test.{ts,tsx}`],
      exclude: ['**/*.e2e.test.{ts,tsx}'],
      setupFiles: [join(import.meta.dirname, 'watch.ts')],
      pool: 'forks',
      isolate: false,
      maxWorkers: 1,
      bail: 1,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 20_000 } },
      execArgv: ['--max-old-space-size=1500'],
      env: { HOME: home, XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', XDG_STATE_HOME: '', XDG_CACHE_HOME: '' },
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
            const code = replaced.get(relative(root, id));
            return code === undefined ? undefined : { code, map: null };
          },
        },
      ],
    },
  );
  const limitsMs: Record<string, number> = {};
  vitest.provide('limitsMs', {});
  const run = async (files: readonly TestSpecification[]) => {
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications([...files]);
    // Vitest adds the modules of earlier runs.
    const modules = testModules.filter(({ moduleId }) => files.some((file) => file.moduleId === moduleId));
    return { ok: unhandledErrors.length === 0 && modules.every((module) => module.ok()), modules };
  };
  return {
    files: await vitest.globTestSpecifications(),
    replace(path, code) {
      if (code === undefined) replaced.delete(path);
      else replaced.set(path, code);
      vitest.invalidateFile(join(root, path));
    },
    async measure(file) {
      const start = performance.now();
      const { ok, modules } = await run([file]);
      const ms = performance.now() - start;
      if (!ok)
        throw new Error(`${file.moduleId} fails without a mutant: ${modules.map(errorsOf).join('\n')}`);
      limitsMs[file.moduleId] = ms * LIMIT_FACTOR + LIMIT_EXTRA_MS;
      return { file, ms, hits: new Set(modules[0]?.meta().hits) };
    },
    async passes(files) {
      vitest.provide('limitsMs', limitsMs);
      return (await run(files)).ok;
    },
    [Symbol.asyncDispose]: () => vitest.close(),
  };
}

function errorsOf(module: TestModule): string {
  const tests = [...module.children.allTests()].flatMap((test) => test.result().errors ?? []);
  return [...module.errors(), ...tests].map(({ message }) => message).join('\n');
}
