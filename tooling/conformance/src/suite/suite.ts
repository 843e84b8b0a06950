import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

/** One assertion of a scenario, as the suite writes it. */
export interface SuiteCheck {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

export interface SuiteRun {
  /** How it ended, where that was not with exit code 0. */
  readonly ending?: string;
  /** By scenario. */
  readonly checks: ReadonlyMap<string, readonly SuiteCheck[]>;
}

const program = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/conformance/package.json')),
);
/** Milliseconds. */
const SCENARIO_LIMIT = 20_000;
const RUN_LIMIT = 3 * 60_000;
/** `server-tools-list-2026-11-21T09-30-00-000Z` */
const RESULT_FOLDER = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/;

/** Runs the suite's command line against a server, with what is to be run as `options`. */
export async function runSuite(url: string, options: readonly string[]): Promise<SuiteRun> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'deskside-conformance-'));
  const { failed, shortMessage = '' } = await execa(
    process.execPath,
    [program, 'server', '--url', url, ...options, '-o', folder.path, '--timeout', String(SCENARIO_LIMIT)],
    { cwd: folder.path, stdin: 'ignore', reject: false, timeout: RUN_LIMIT, killSignal: 'SIGKILL' },
  );
  return { ...(failed ? { ending: shortMessage } : {}), checks: await readChecks(folder.path) };
}

async function readChecks(folder: string): Promise<ReadonlyMap<string, readonly SuiteCheck[]>> {
  const checks = new Map<string, readonly SuiteCheck[]>();
  for (const name of await readdir(folder)) {
    const scenario = RESULT_FOLDER.exec(name)?.[1];
    const text = await readFile(join(folder, name, 'checks.json'), 'utf8').catch(() => undefined);
    if (scenario !== undefined && text !== undefined) {
      checks.set(scenario, JSON.parse(text) as readonly SuiteCheck[]);
    }
  }
  return checks;
}
