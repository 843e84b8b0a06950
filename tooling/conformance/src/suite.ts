import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@deskside/core/testing';
import { execa } from 'execa';

const SUITE = import.meta.resolve('@modelcontextprotocol/conformance/package.json');

/**
 * Revisions of the protocol and the number of scenarios that the suite requires. The sets are frozen, so a smaller
 * number means that the file was not parsed correctly.
 */
const KNOWN = {
  server: { '2025-11-25': 30, '2026-07-28': 37 },
  client: { '2025-11-25': 18, '2026-07-28': 31 },
} as const;

export type Revision = keyof (typeof KNOWN)['server'];

export const revisions = ['2025-11-25', '2026-07-28'] as const satisfies readonly Revision[];

/** @throws Error if the file lists fewer scenarios than known */
export async function requiredScenarios(
  revision: Revision,
  of: keyof typeof KNOWN = 'server',
): Promise<readonly string[]> {
  const file = new URL(`requirements/${revision}.yaml`, SUITE);
  const lists = new RegExp(`^${of}:\\n((?: +(?:-|#) .+\\n)+)`, 'm');
  const [, list = ''] = lists.exec(await readFile(file, 'utf8')) ?? [];
  const scenarios = [...list.matchAll(/^ +- (\S+)/gm)].flatMap(([, name]) => name ?? []);
  const known = KNOWN[of][revision];
  if (scenarios.length < known)
    throw new Error(`${revision} requires ${known} scenarios, the suite names ${scenarios.length}.`);
  return scenarios;
}

/** One assertion of a scenario in the suite's format. */
export interface SuiteCheck {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
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
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Failures or warnings. */
  readonly detail?: string;
}

/** A scenario fails if one of its checks fails, or if the suite checked nothing. */
function verdict(name: string, scenario: string, { checks: all, ending = '' }: SuiteRun): ScenarioResult {
  const checks = all.get(scenario);
  if (checks === undefined) return { name, status: 'failed', detail: `The suite wrote no result. ${ending}` };
  const failures = explained(checks, 'FAILURE');
  if (failures !== '') return { name, status: 'failed', detail: failures };
  const checked = checks.some(({ status }) => status === 'SUCCESS');
  if (!checked) return { name, status: 'failed', detail: 'The suite checked nothing.' };
  const warnings = explained(checks, 'WARNING');
  return { name, status: 'passed', ...(warnings === '' ? {} : { detail: warnings }) };
}

/** A result per scenario. Both count: what the suite wrote, and its exit code. */
export function resultsOf(label: string, scenarios: readonly string[], run: SuiteRun): ScenarioResult[] {
  const results = scenarios.map((scenario) => verdict(`${label}: ${scenario}`, scenario, run));
  if (run.ending === undefined || results.some(({ status }) => status === 'failed')) return results;
  return [...results, { name: `${label}: the suite itself`, status: 'failed', detail: run.ending }];
}

function explained(checks: readonly SuiteCheck[], wanted: SuiteCheck['status']): string {
  return checks
    .filter(({ status }) => status === wanted)
    .map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage ?? 'no message'}`)
    .join('\n');
}
