import type { ServerDefinition } from '@deskside/core';
import { serveInProcess } from '@deskside/core/testing';
import {
  requiredScenarios,
  resultsOf,
  type Revision,
  revisions,
  runSuite,
  type ScenarioResult,
} from './suite.ts';

/** A server to examine. */
export interface Target {
  readonly name: string;
  readonly definition: ServerDefinition;
  /** Default: all scenarios that a revision requires. */
  readonly scenarios?: Readonly<Record<Revision, readonly string[]>>;
}

/** Scenarios that the suite runs and does not require yet. */
const PENDING: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': ['json-schema-2020-12'],
  '2026-07-28': ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'],
};

/** Serves a definition over HTTP and returns one result per scenario of both revisions. */
export async function examine({ name, definition, scenarios }: Target): Promise<readonly ScenarioResult[]> {
  await using server = await serveInProcess(definition, { over: 'http' });
  return await examineUrl(name, server.url ?? '', scenarios);
}

/** As `examine`, for a server that is served already. */
export async function examineUrl(
  name: string,
  url: string,
  scenarios: Target['scenarios'],
): Promise<readonly ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  for (const revision of revisions) {
    const label = `conformance ${revision} ${name}`;
    const chosen = scenarios?.[revision];
    if (chosen === undefined) {
      // One run, which also reports scenarios that the revision does not require.
      const required = [...(await requiredScenarios(revision)), ...PENDING[revision]];
      const run = await runSuite(['server', '--url', url, '--requirements', revision]);
      results.push(...resultsOf(label, required, run));
    }
    // One run each, so that the exit code belongs to the scenario.
    for (const scenario of chosen ?? []) {
      const options = ['--scenario', scenario, '--spec-version', revision];
      results.push(...resultsOf(label, [scenario], await runSuite(['server', '--url', url, ...options])));
    }
  }
  return results;
}
