import { join } from 'node:path';
import type { ServerDefinition } from '@deskside/core';
import { serveInProcess, temporaryFolder } from '@deskside/core/testing';
import { cleanEnvironment, startProgram } from '@deskside/testkit';
import { requiredScenarios, type Revision, revisions, runSuite, type ScenarioResult } from './suite.ts';

const FIXTURE = join(import.meta.dirname, 'fixture/program.ts');
const DESK = join(import.meta.dirname, '../../../packages/gateway/src/testing/http-desk.ts');

/** Scenarios that the suite runs and does not require yet. */
const PENDING: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': ['json-schema-2020-12'],
  '2026-07-28': ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'],
};

/** Serves a definition over HTTP and returns one result per scenario of both revisions. */
export async function examine(
  name: string,
  definition: ServerDefinition,
): Promise<readonly ScenarioResult[]> {
  await using server = await serveInProcess(definition, { over: 'http' });
  return await examineUrl(name, server.url ?? '');
}

/** Examines the fixture as an external server: a program behind a desk, which clients reach over HTTP. */
export async function examineExternal(): Promise<readonly ScenarioResult[]> {
  using home = temporaryFolder();
  const args = [DESK, process.execPath, FIXTURE];
  await using desk = startProgram({ command: process.execPath, args, env: cleanEnvironment(home.path) });
  const [, url = ''] = await desk.printed(/(http\S+)\n/);
  const results = await examineUrl('external', url);
  desk.child.stdin.end();
  await desk.exited;
  return results;
}

async function examineUrl(name: string, url: string): Promise<readonly ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  for (const revision of revisions) {
    const required = [...requiredScenarios(revision), ...PENDING[revision]];
    const args = ['server', '--url', url, '--requirements', revision];
    results.push(...(await runSuite(`conformance ${revision} ${name}`, required, args)));
  }
  return results;
}
