import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@deskside/core/testing';
import { execa } from 'execa';

const SUITE = import.meta.resolve('@modelcontextprotocol/conformance/package.json');

export const revisions = ['2025-11-25', '2026-07-28'] as const;

export type Revision = (typeof revisions)[number];

/** The smallest set, and sets are frozen: fewer mean that the file was not parsed correctly. */
const MIN_SCENARIOS = 18;

/** @throws Error if the file lists too few scenarios */
export async function requiredScenarios(
  revision: Revision,
  of: 'server' | 'client' = 'server',
): Promise<readonly string[]> {
  const file = new URL(`requirements/${revision}.yaml`, SUITE);
  const lists = new RegExp(`^${of}:\\n((?: +(?:-|#) .+\\n)+)`, 'm');
  const [, list = ''] = lists.exec(await readFile(file, 'utf8')) ?? [];
  const scenarios = [...list.matchAll(/^ +- (\S+)/gm)].flatMap(([, name]) => name ?? []);
  if (scenarios.length < MIN_SCENARIOS)
    throw new Error(`${revision} requires ${scenarios.length} scenarios.`);
  return scenarios;
}

/** One assertion of a scenario in the suite's format. */
export interface SuiteCheck {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

export interface SuiteRun {
  /** How the suite ended, if its exit code is not 0. */
  readonly ending?: string;
  /** By scenario. */
  readonly checks: ReadonlyMap<string, readonly SuiteCheck[]>;
}

const program = fileURLToPath(new URL('dist/index.js', SUITE));
const SCENARIO_TIMEOUT_MS = 20_000;
const RUN_TIMEOUT_MS = 3 * 60_000;
/** Of what the suite printed before it failed. */
const LAST_CHARACTERS = 1000;
/** `server-tools-list-2026-11-21T09-30-00-000Z/checks.json`, of a client without the first word. */
const RESULT = /^(?:server-)?(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z[/\\]checks\.json$/;

/**
 * Runs the suite's command line.
 *
 * @param args `server --url URL …` for a server, `client --command PROGRAM …` for a program that gets the URL of a server
 */
export async function runSuite(args: readonly string[]): Promise<SuiteRun> {
  using folder = temporaryFolder();
  const words = [program, ...args, '-o', folder.path, '--timeout', String(SCENARIO_TIMEOUT_MS)];
  const { failed, shortMessage, stdout } = await execa(process.execPath, words, {
    cwd: folder.path,
    stdin: 'ignore',
    reject: false,
    timeout: RUN_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const checks = await readChecks(folder.path);
  return failed ? { ending: `${shortMessage ?? ''}\n${stdout.slice(-LAST_CHARACTERS)}`, checks } : { checks };
}

async function readChecks(folder: string): Promise<ReadonlyMap<string, readonly SuiteCheck[]>> {
  const checks = new Map<string, readonly SuiteCheck[]>();
  for (const path of await readdir(folder, { recursive: true })) {
    const scenario = RESULT.exec(path)?.[1]?.replaceAll('\\', '/');
    if (scenario === undefined) continue;
    checks.set(scenario, JSON.parse(await readFile(join(folder, path), 'utf8')) as readonly SuiteCheck[]);
  }
  return checks;
}

export interface ScenarioResult {
  /** `conformance 2026-07-28 direct: tools-list` */
  readonly name: string;
  readonly status: 'passed' | 'failed';
  /** Why it failed. */
  readonly detail?: string;
}

/** A scenario fails if one of its checks fails, or if the suite checked nothing. */
function verdict(name: string, scenario: string, { checks: all, ending = '' }: SuiteRun): ScenarioResult {
  const checks = all.get(scenario);
  if (checks === undefined) return { name, status: 'failed', detail: `The suite wrote no result. ${ending}` };
  const failures = checks.filter(({ status }) => status === 'FAILURE');
  const detail = failures.map(({ id, errorMessage = 'no message' }) => `${id}: ${errorMessage}`).join('\n');
  if (failures.length > 0) return { name, status: 'failed', detail };
  const checked = checks.some(({ status }) => status === 'SUCCESS');
  return checked
    ? { name, status: 'passed' }
    : { name, status: 'failed', detail: 'The suite checked nothing.' };
}

/** A result per scenario. Both count: what the suite wrote, and its exit code. */
export function resultsOf(label: string, scenarios: readonly string[], run: SuiteRun): ScenarioResult[] {
  const results = scenarios.map((scenario) => verdict(`${label}: ${scenario}`, scenario, run));
  if (run.ending === undefined || results.some(({ status }) => status === 'failed')) return results;
  return [...results, { name: `${label}: the suite itself`, status: 'failed', detail: run.ending }];
}
