import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@deskside/core/testing';
import { execa } from 'execa';
import { parse } from 'yaml';
import { z } from 'zod';

const SUITE = import.meta.resolve('@modelcontextprotocol/conformance/package.json');

export const revisions = ['2025-11-25', '2026-07-28'] as const;

export type Revision = (typeof revisions)[number];

const requirements = z.object({ server: z.array(z.string()), client: z.array(z.string()) });

export function requiredScenarios(revision: Revision, of: 'server' | 'client' = 'server'): readonly string[] {
  const file = new URL(`requirements/${revision}.yaml`, SUITE);
  return requirements.parse(parse(readFileSync(file, 'utf8')))[of];
}

export interface ScenarioResult {
  /** `conformance 2026-07-28 direct: tools-list` */
  readonly name: string;
  readonly status: 'passed' | 'failed';
  /** Why it failed. */
  readonly detail?: string;
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
 * @returns a result per scenario. Both count: what the suite writes, and its exit code
 */
export async function runSuite(
  label: string,
  scenarios: readonly string[],
  args: readonly string[],
): Promise<readonly ScenarioResult[]> {
  using folder = temporaryFolder();
  const words = [program, ...args, '-o', folder.path, '--timeout', String(SCENARIO_TIMEOUT_MS)];
  const { failed, shortMessage, stdout } = await execa(process.execPath, words, {
    cwd: folder.path,
    stdin: 'ignore',
    reject: false,
    timeout: RUN_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const ending = failed ? `${shortMessage}\n${stdout.slice(-LAST_CHARACTERS)}` : '';
  const paths = readdirSync(folder.path, { encoding: 'utf8', recursive: true });
  const results = scenarios.map((scenario): ScenarioResult => {
    const path = paths.find((each) => RESULT.exec(each)?.[1]?.replaceAll('\\', '/') === scenario);
    const fault =
      path === undefined ? `The suite wrote no result. ${ending}` : faultIn(join(folder.path, path));
    return { name: `${label}: ${scenario}`, status: fault === '' ? 'passed' : 'failed', detail: fault };
  });
  if (!failed || results.some(({ status }) => status === 'failed')) return results;
  return [...results, { name: `${label}: the suite itself`, status: 'failed', detail: ending }];
}

/** An assertion of a scenario in the suite's format. */
interface SuiteCheck {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** @returns '' if no assertion of a scenario fails, and one succeeds */
function faultIn(file: string): string {
  const checks = JSON.parse(readFileSync(file, 'utf8')) as readonly SuiteCheck[];
  const failures = checks.filter(({ status }) => status === 'FAILURE');
  if (failures.length > 0)
    return failures.map(({ id, errorMessage = 'no message' }) => `${id}: ${errorMessage}`).join('\n');
  return checks.some(({ status }) => status === 'SUCCESS') ? '' : 'The suite checked nothing.';
}
