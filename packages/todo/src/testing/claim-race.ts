import { expect } from 'vitest';
import { openTodo } from '../todo.ts';
import { callerContext } from './store-under-test.ts';
import { openWorker } from './worker.ts';
import type { WorkerTask } from './worker-program.ts';

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

interface Race {
  readonly size: RaceSize;
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
  const { processes, tasks: count, kills } = race.size;
  await using todo = openTodo({ database: race.database });
  const store = await todo.store();
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const tasks = ids.map((id) => ({ title: `task ${id}`, description: null }));
  await store.addAll(callerContext(race.user), tasks);
  const printed: string[] = [];
  for (let round = 0; ; round += 1) {
    await race.beforeRound?.();
    const workers = await Promise.all(
      Array.from({ length: processes }, (_, index) => openWorker(race.taskOf(`${round} ${index}`, index))),
    );
    for (const worker of workers) worker.start();
    const isLast = round === kills;
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
