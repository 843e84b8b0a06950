import { expect } from 'vitest';
import { openTodo } from '../todo.ts';
import { callerContext } from './store-under-test.ts';
import { openWorker } from './worker.ts';

const IS_PROOF = process.env['DESKSIDE_PROOF'] === '1';
export const CLAIMING_PROCESSES = IS_PROOF ? 8 : 3;
export const CLAIMED_TASKS = IS_PROOF ? 1000 : 60;
export const RACE_TIMEOUT_MS = IS_PROOF ? 900_000 : 60_000;

/** How many tasks each process claims before it is killed and another one takes its place. */
const CLAIMS_BEFORE_KILL = IS_PROOF ? 25 : 5;

/**
 * Lets processes claim all tasks of a user, and kills them in between.
 *
 * @param auditedClaims the ids of the tasks in the audit rows of successful claims
 */
export async function raceForClaims(
  database: string,
  auditedClaims: () => Promise<readonly number[]>,
): Promise<void> {
  await using todo = openTodo({ database });
  const store = await todo.store();
  const ids = Array.from({ length: CLAIMED_TASKS }, (_, index) => index + 1);
  const tasks = ids.map((id) => ({ title: `task ${id}`, description: null }));
  await store.addAll(callerContext('anna'), tasks);
  const printed: string[] = [];
  let kills = 0;
  const work = async (name: string): Promise<void> => {
    for (let started = 0; ; started += 1) {
      const worker = await openWorker({
        role: 'claimer',
        database,
        user: 'anna',
        holder: `${name} ${started}`,
      });
      worker.start();
      const isKilled = await Promise.race([
        worker.printed(CLAIMS_BEFORE_KILL).then(
          () => true,
          () => false,
        ),
        worker.ended.then(() => false),
      ]);
      if (isKilled) worker.kill();
      const code = await worker.ended;
      printed.push(...worker.lines);
      if (code === 0) return;
      expect(code).toBeNull();
      kills += 1;
    }
  };
  await Promise.all(Array.from({ length: CLAIMING_PROCESSES }, (_, index) => work(`process ${index}`)));
  expect(kills).toBeGreaterThanOrEqual(CLAIMING_PROCESSES);
  expect(new Set(printed).size).toBe(printed.length);
  // A killed process may have claimed a task that it had no time to print.
  const claimed = await auditedClaims();
  expect(claimed.toSorted((one, other) => one - other)).toStrictEqual(ids);
}
