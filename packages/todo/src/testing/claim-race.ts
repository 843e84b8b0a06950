import { expect } from 'vitest';
import { openTodo } from '../todo.ts';
import { callerContext } from './store-under-test.ts';
import { openWorker } from './worker.ts';

interface RaceSize {
  readonly processes: number;
  readonly tasks: number;
  /** How often all processes are killed. */
  readonly kills: number;
}

export const SHORT_RACE: RaceSize = { processes: 3, tasks: 200, kills: 1 };
export const LONG_RACE: RaceSize = { processes: 8, tasks: 1000, kills: 10 };

/** The processes are killed when one of them has claimed this many tasks. */
const CLAIMS_BEFORE_KILL = 5;

/** The ids of the tasks, what processes have printed, and how many each of the last round has. */
interface RaceResult {
  readonly ids: readonly number[];
  readonly printed: readonly string[];
  readonly shares: readonly number[];
}

/**
 * Lets processes claim all tasks of anna, and kills them in between. A killed one may not have printed its last claim.
 *
 * @param database path of a file, or URL
 */
export async function raceForClaims(
  { processes, tasks: count, kills }: RaceSize,
  database: string,
): Promise<RaceResult> {
  await using todo = openTodo({ database });
  const store = await todo.store();
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const tasks = ids.map((id) => ({ title: `task ${id}`, description: null }));
  await store.addAll(callerContext('anna'), tasks);
  const printed: string[] = [];
  for (let round = 0; ; round += 1) {
    const labels = Array.from({ length: processes }, (_, index) => `${round} ${index}`);
    const workers = await Promise.all(
      labels.map((label) => openWorker({ role: 'claimer', database, user: 'anna', label })),
    );
    for (const worker of workers) worker.start();
    const isLast = round === kills;
    if (!isLast) {
      await Promise.race(workers.map((worker) => worker.printed(CLAIMS_BEFORE_KILL)));
      for (const worker of workers) worker.kill();
    }
    const codes = await Promise.all(workers.map((worker) => worker.ended));
    expect(codes, workers.map((worker) => worker.problems).join('\n')).toStrictEqual(
      workers.map(() => (isLast ? 0 : null)),
    );
    printed.push(...workers.flatMap((worker) => worker.lines));
    if (isLast) return { ids, printed, shares: workers.map((worker) => worker.lines.length) };
  }
}
