import { expect } from 'vitest';
import { openTodo } from '../todo.ts';
import { callerContext } from './store-under-test.ts';
import { openWorker } from './worker.ts';
import type { WorkerTask } from './worker-program.ts';

const IS_PROOF = process.env['DESKSIDE_PROOF'] === '1';
export const CLAIMING_PROCESSES = IS_PROOF ? 8 : 3;
export const CLAIMED_TASKS = IS_PROOF ? 1000 : 200;

/** How often all of them are killed, each time when one of them has claimed this many tasks. */
const KILLS = IS_PROOF ? 10 : 1;
const CLAIMS_BEFORE_KILL = 5;

interface Race {
  readonly database: string;
  readonly user: string;
  /** What a process does. Each one has another label. */
  readonly taskOf: (label: string, index: number) => WorkerTask;
  /** Kills a server while the processes claim; they go on with another one. */
  readonly killServer?: (round: number) => Promise<void>;
  /** Before the processes of a round start. */
  readonly beforeRound?: () => Promise<void>;
}

/** The ids of the tasks, what processes have printed, and how many each of the last round has. */
interface RaceResult {
  readonly ids: readonly number[];
  readonly printed: readonly string[];
  readonly shares: readonly number[];
}

/** Lets processes claim all tasks of a user, and kills them in between. A killed one may not have printed its last claim. */
export async function raceForClaims(race: Race): Promise<RaceResult> {
  await using todo = openTodo({ database: race.database });
  const store = await todo.store();
  const ids = Array.from({ length: CLAIMED_TASKS }, (_, index) => index + 1);
  const tasks = ids.map((id) => ({ title: `task ${id}`, description: null }));
  await store.addAll(callerContext(race.user), tasks);
  const printed: string[] = [];
  for (let round = 0; ; round += 1) {
    await race.beforeRound?.();
    const workers = await Promise.all(
      Array.from({ length: CLAIMING_PROCESSES }, (_, index) =>
        openWorker(race.taskOf(`${round} ${index}`, index)),
      ),
    );
    for (const worker of workers) worker.start();
    const isLast = round === KILLS;
    if (!isLast) {
      await Promise.race(workers.map((worker) => worker.printed(CLAIMS_BEFORE_KILL)));
      const before = workers.map((worker) => worker.lines.length);
      await race.killServer?.(round);
      // Those that have used that server go on, too.
      if (race.killServer !== undefined)
        await Promise.all(workers.map((worker, index) => worker.printed((before[index] ?? 0) + 1)));
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
