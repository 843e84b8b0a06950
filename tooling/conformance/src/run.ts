import { createAggregator } from '@deskside/aggregator';
import { openTodo, todoServer } from '@deskside/todo';
import { examine, type Target } from './examine.ts';
import { fixtureServer } from './fixture/server.ts';
import type { ScenarioResult } from './suite/verdict.ts';

/** What the suite asks of any server that has tools, whatever they are. */
const anyServer = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
  ],
} as const;

/**
 * Runs the protocol's conformance suite against the fixture as it is, the fixture under its own names in the
 * aggregator, and a server that people use. One after the other: some scenarios wait for what must not come.
 */
export async function runConformance(): Promise<readonly ScenarioResult[]> {
  await using todo = openTodo({ database: ':memory:' });
  const mounted = await createAggregator({
    mounts: [
      { id: 'fixture', definition: fixtureServer(), flat: true },
      { id: 'todo', definition: todoServer(todo) },
    ],
  });
  const targets: readonly Target[] = [
    { name: 'direct', definition: fixtureServer() },
    { name: 'mounted', definition: mounted.definition },
    { name: 'todo', definition: todoServer(todo), scenarios: anyServer },
  ];
  const results: ScenarioResult[] = [];
  for (const target of targets) results.push(...(await examine(target)));
  return results;
}
