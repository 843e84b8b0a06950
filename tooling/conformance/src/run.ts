import { createAggregator } from '@deskside/gateway';
import { openTodo, todoServer } from '@deskside/todo';
import { examine, examineExternal } from './examine.ts';
import { examineLogins } from './logins.ts';
import { fixtureServer } from './fixture/server.ts';
import type { ScenarioResult } from './suite.ts';

/**
 * Runs the protocol's conformance suite against the fixture, the fixture as a flat mount of the aggregator beside todo, in
 * a proof the fixture as an external server, and logins at other servers.
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
  const isComplete = process.env['DESKSIDE_PROOF'] === '1';
  return [
    ...(await examine('direct', fixtureServer())),
    ...(await examine('mounted', mounted.definition)),
    // It takes half a minute.
    ...(isComplete ? await examineExternal() : []),
    ...(await examineLogins(isComplete)),
  ];
}
