import { join } from 'node:path';
import { requiredScenarios, revisions, runClientSuite, type ScenarioResult, verdict } from './suite.ts';

const CLIENT = join(import.meta.dirname, '../../../apps/aggregator/src/testing/login-client.ts');

/** The complete set takes several minutes. */
const SAMPLE: ReadonlySet<string> = new Set([
  'auth/scope-step-up',
  'auth/pre-registration',
  'auth/iss-wrong-issuer',
]);

/**
 * The scenario without any metadata, `oauth-endpoint-fallback`, is not run: a server that only answers 401 may as well want
 * an API key. Those of extensions need no person, and a desk logs in a person.
 */
const EARLIER: readonly (readonly [string, string])[] = [
  ['2025-03-26', 'auth/2025-03-26-oauth-metadata-backcompat'],
];

/** The address of a client id document that the suite expects. A desk has none without the person's own. */
const CLIENT_IDS: ReadonlyMap<string, string> = new Map([
  ['auth/basic-cimd', 'https://conformance-test.local/client-metadata.json'],
]);

/** Examines what logs in at servers: a desk, with a person who presses "Log in" and a browser that follows. */
export async function examineLogins(isComplete: boolean): Promise<readonly ScenarioResult[]> {
  const required = await Promise.all(
    revisions.map(async (revision) =>
      (await requiredScenarios(revision, 'client')).map((scenario) => [revision, scenario] as const),
    ),
  );
  const logins = [...required.flat(), ...EARLIER].filter(([, scenario]) => scenario.startsWith('auth/'));
  const [latest] = revisions.slice(-1);
  const chosen = isComplete
    ? logins
    : logins.filter(([revision, scenario]) => revision === latest && SAMPLE.has(scenario));
  const results: ScenarioResult[] = [];
  for (const [revision, scenario] of chosen) results.push(await examineLogin(revision, scenario));
  return results;
}

async function examineLogin(revision: string, scenario: string): Promise<ScenarioResult> {
  const clientId = CLIENT_IDS.get(scenario);
  const run = await runClientSuite(
    `${process.execPath} ${CLIENT}`,
    ['--scenario', scenario, '--spec-version', revision],
    clientId === undefined ? {} : { LOGIN_CLIENT_ID: clientId },
  );
  const result = verdict(`conformance ${revision} login: ${scenario}`, scenario, run);
  if (run.ending === undefined || result.status === 'failed') return result;
  return { ...result, status: 'failed', detail: run.ending };
}
