import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { playLoginClient } from '@deskside/gateway/testing/login-client';
import { listen } from '@deskside/testkit';
import * as z from 'zod';
import { requiredScenarios, revisions, runSuite, type ScenarioResult } from './suite.ts';

const RELAY = join(import.meta.dirname, 'relay.ts');
const relayed = z.object({ url: z.string(), context: z.string().optional() });

/** The complete set takes several minutes. */
const SAMPLE = new Set(['auth/scope-step-up', 'auth/pre-registration', 'auth/iss-wrong-issuer']);

/**
 * The scenario without any metadata, `oauth-endpoint-fallback`, is not run: a server that only answers 401 may as well want
 * an API key. Those of extensions need no person, and a desk logs in a person.
 */
const EARLIER = ['2025-03-26', 'auth/2025-03-26-oauth-metadata-backcompat'] as const;

/** The address of a client id document that the suite expects. A desk has none without the person's own. */
const CLIENT_ID = 'https://conformance-test.local/client-metadata.json';

/** Examines what logs in at servers: a desk, with a person who presses "Log in" and a browser that follows. */
export async function examineLogins(isComplete: boolean): Promise<readonly ScenarioResult[]> {
  const required = revisions.flatMap((revision) =>
    requiredScenarios(revision, 'client').map((scenario) => [revision, scenario] as const),
  );
  const logins = [...required, EARLIER].filter(([, scenario]) => scenario.startsWith('auth/'));
  const [latest] = revisions.slice(-1);
  const chosen = isComplete
    ? logins
    : logins.filter(([revision, scenario]) => revision === latest && SAMPLE.has(scenario));
  const results: ScenarioResult[] = [];
  for (const [revision, scenario] of chosen) results.push(...(await examineLogin(revision, scenario)));
  return results;
}

/**
 * The client plays in this process: one that loads a whole desk for each scenario exceeds the suite's time on a busy machine.
 */
async function examineLogin(revision: string, scenario: string): Promise<readonly ScenarioResult[]> {
  const clientId = scenario === 'auth/basic-cimd' ? CLIENT_ID : undefined;
  await using relay = await listen((request, response) => {
    json(request)
      .then((body) => playLoginClient({ ...relayed.parse(body), clientId }))
      .then(
        () => response.end(),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
  });
  const command = `${process.execPath} ${RELAY} ${relay.origin}/`;
  const options = ['--scenario', scenario, '--spec-version', revision];
  const args = ['client', '--command', command, ...options];
  return await runSuite(`conformance ${revision} login`, [scenario], args);
}
