import { createAggregator } from '@deskside/aggregator';
import { openTodo, todoServer } from '@deskside/todo';
import { examine, type Target } from './examine.ts';
import { examineExternal } from './external.ts';
import { fixtureServer } from './fixture/server.ts';
import type { ScenarioResult } from './suite.ts';

/**
 * Runs the protocol's conformance suite against the fixture, the fixture as a flat mount of the aggregator beside todo, and
 * the fixture as an external server.
 * One target at a time: some scenarios wait a fixed time to see that no message comes.
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
  ];
  const results: ScenarioResult[] = [];
  for (const target of targets) results.push(...(await examine(target)));
  return [...results, ...(await examineExternal(process.env['DESKSIDE_PROOF'] === '1'))];
}
