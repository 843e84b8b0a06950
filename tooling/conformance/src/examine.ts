import { serve, type ServerDefinition, silentLog } from '@deskside/core';
import {
  requiredScenarios,
  type Revision,
  revisions,
  runSuite,
  type ScenarioResult,
  verdict,
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
  '2025-11-25': [],
  '2026-07-28': ['http-header-validation', 'http-custom-header-server-validation'],
};

interface Run {
  /** Arguments for the suite. */
  readonly options: readonly string[];
  /** Scenarios that count. */
  readonly scenarios: readonly string[];
}

/** Serves a definition over HTTP and returns one result per scenario of both revisions. */
export async function examine({ name, definition, scenarios }: Target): Promise<readonly ScenarioResult[]> {
  const serving = await serve(definition, {
    ownsProcess: false,
    log: silentLog,
    http: { port: 0, auth: 'none' },
  });
  try {
    return await examineUrl(name, serving.url ?? '', scenarios);
  } finally {
    await serving.close();
  }
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
    for (const run of await runsOf(revision, scenarios?.[revision])) {
      results.push(...(await resultsOf(run, label, url)));
    }
  }
  return results;
}

/**
 * A complete set is one run, which also reports scenarios that the revision does not require. Chosen scenarios are
 * one run each, so that the exit code belongs to the scenario.
 */
async function runsOf(revision: Revision, chosen: readonly string[] | undefined): Promise<readonly Run[]> {
  if (chosen === undefined) {
    const scenarios = [...(await requiredScenarios(revision)), ...PENDING[revision]];
    return [{ options: ['--requirements', revision], scenarios }];
  }
  return chosen.map((scenario) => ({
    options: ['--scenario', scenario, '--spec-version', revision],
    scenarios: [scenario],
  }));
}

/** Both count: the suite's result per scenario, and its exit code. */
async function resultsOf({ options, scenarios }: Run, label: string, url: string): Promise<ScenarioResult[]> {
  const run = await runSuite(url, options);
  const results = scenarios.map((scenario) => verdict(`${label}: ${scenario}`, scenario, run));
  if (run.ending === undefined || results.some(({ status }) => status === 'failed')) return results;
  return [...results, { name: `${label}: the suite itself`, status: 'failed', detail: run.ending }];
}
