import { openTodo, type Todo } from '@deskside/todo';
import type { Figures } from '../benchmark.ts';
import { limitRatio, spreads, timed } from '../statistics.ts';

const ROUNDS = 10;
const LIMIT_MS = 150;
const OWN_TASKS = 20_000;

const FOREIGN_TASKS = 1_000_000;
const FOREIGN_USER = 'other';
export const CALLER = { actor: 'owner', user: 'owner', tool: 'bench' };
export const TASK = { title: 'Buy groceries', description: 'Milk, eggs, bread' };

/** What a million calls of the other user leave: through the program they take minutes. */
const FOREIGN_ROWS = `
  WITH RECURSIVE numbers (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM numbers WHERE id < ${FOREIGN_TASKS})
  INSERT INTO tasks (user_id, id, title, description, completed, created_at)
  SELECT '${FOREIGN_USER}', id, '${TASK.title} n' || id, '${TASK.description}', 0, 1766226600 FROM numbers;
  UPDATE users SET last_task_id = ${FOREIGN_TASKS} WHERE id = '${FOREIGN_USER}';`;

/**
 * Searches the own 20,000 tasks for a word that none has, while another user has a million tasks.
 *
 * @param name of the store
 * @param execute statements in the database
 */
export async function measureSearch(
  name: string,
  database: string,
  execute: (sql: string) => Promise<void>,
): Promise<Figures> {
  await using todo: Todo = openTodo({ database });
  const store = await todo.store();
  const own = Array.from({ length: OWN_TASKS }, () => TASK);
  await store.addAll(CALLER, own);
  await store.add({ ...CALLER, user: FOREIGN_USER }, TASK);
  await execute(FOREIGN_ROWS);
  const search = { name: `${name}, search of ${OWN_TASKS} own tasks` };
  const query = { status: 'all', limit: 100, words: ['zebra'] } as const;
  const costs = await timed(ROUNDS, [search], () => store.list(CALLER, query));
  return {
    numbers: spreads(costs, 'ms'),
    ratios: [limitRatio(`${search.name}, to ${LIMIT_MS} ms`, LIMIT_MS, costs.get(search))],
  };
}
