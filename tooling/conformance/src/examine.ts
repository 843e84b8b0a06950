import { serve, type ServerDefinition, silentLog } from '@deskside/core';
import { requiredScenarios, type Revision, revisions } from './suite/requirements.ts';
import { runSuite } from './suite/suite.ts';
import { type ScenarioResult, verdict } from './suite/verdict.ts';

/** A server to examine. */
export interface Target {
  readonly name: string;
  readonly definition: ServerDefinition;
  /** Scenarios that fit it; default all that a revision requires. */
  readonly scenarios?: Readonly<Record<Revision, readonly string[]>>;
}

interface Run {
  /** What the suite is told to run. */
  readonly options: readonly string[];
  /** What of it counts. */
  readonly scenarios: readonly string[];
}

/** Serves a definition over HTTP and answers one result for each scenario of both revisions. */
export async function examine({ name, definition, scenarios }: Target): Promise<readonly ScenarioResult[]> {
  const serving = await serve(definition, {
    ownsProcess: false,
    log: silentLog,
    http: { port: 0, auth: 'none' },
  });
  try {
    const results: ScenarioResult[] = [];
    for (const revision of revisions) {
      const label = `conformance ${revision} ${name}`;
      for (const run of await runsOf(revision, scenarios?.[revision])) {
        results.push(...(await resultsOf(run, label, serving.url ?? '')));
      }
    }
    return results;
  } finally {
    await serving.close();
  }
}

/**
 * A whole set is one run, which also reports scenarios that the revision does not require; a choice of scenarios is
 * one run each, so that the exit code is about nothing else.
 */
async function runsOf(revision: Revision, chosen: readonly string[] | undefined): Promise<readonly Run[]> {
  if (chosen === undefined) {
    return [{ options: ['--requirements', revision], scenarios: await requiredScenarios(revision) }];
  }
  return chosen.map((scenario) => ({
    options: ['--scenario', scenario, '--spec-version', revision],
    scenarios: [scenario],
  }));
}

/** The suite's word counts twice: what it wrote of each scenario, and its exit code. */
async function resultsOf({ options, scenarios }: Run, label: string, url: string): Promise<ScenarioResult[]> {
  const run = await runSuite(url, options);
  const results = scenarios.map((scenario) => verdict(`${label}: ${scenario}`, scenario, run));
  if (run.ending === undefined || results.some(({ status }) => status === 'failed')) return results;
  return [...results, { name: `${label}: the suite itself`, status: 'failed', detail: run.ending }];
}
