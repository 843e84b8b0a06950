import { expect } from 'vitest';
import { openTodo } from '../todo.ts';
import { callerContext } from './store-under-test.ts';
import { openWorker } from './worker.ts';

const IS_PROOF = process.env['DESKSIDE_PROOF'] === '1';
export const CLAIMING_PROCESSES = IS_PROOF ? 8 : 3;
export const CLAIMED_TASKS = IS_PROOF ? 1000 : 200;
export const RACE_TIMEOUT_MS = IS_PROOF ? 900_000 : 60_000;

/** How often all of them are killed, each time when one of them has claimed this many tasks. */
const KILLS = IS_PROOF ? 10 : 1;
const CLAIMS_BEFORE_KILL = 5;

/** The ids of the tasks: what processes have printed, and what the audit says of claims. */
interface RaceResult {
  readonly ids: readonly number[];
  readonly printed: readonly string[];
}

/** Lets processes claim all tasks of a user, and kills them in between. A killed one may not have printed its last claim. */
export async function raceForClaims(database: string): Promise<RaceResult> {
  await using todo = openTodo({ database });
  const store = await todo.store();
  const ids = Array.from({ length: CLAIMED_TASKS }, (_, index) => index + 1);
  const tasks = ids.map((id) => ({ title: `task ${id}`, description: null }));
  await store.addAll(callerContext('anna'), tasks);
  const printed: string[] = [];
  for (let kills = 0; kills <= KILLS; kills += 1) {
    const workers = await Promise.all(
      Array.from({ length: CLAIMING_PROCESSES }, (_, index) =>
        openWorker({ role: 'claimer', database, user: 'anna', holder: `${kills} ${index}` }),
      ),
    );
    for (const worker of workers) worker.start();
    if (kills < KILLS) {
      await Promise.race(workers.map((worker) => worker.printed(CLAIMS_BEFORE_KILL)));
      for (const worker of workers) worker.kill();
    }
    const code = kills < KILLS ? null : 0;
    expect(await Promise.all(workers.map((worker) => worker.ended))).toStrictEqual(workers.map(() => code));
    // The lock lets each of them in.
    if (kills === KILLS) for (const worker of workers) expect(worker.lines.length).toBeGreaterThan(0);
    printed.push(...workers.flatMap((worker) => worker.lines));
  }
  return { ids, printed };
}
