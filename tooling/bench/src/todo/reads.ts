import { openTodo, type Todo } from '@deskside/todo';
import type { Figures } from '../benchmark.ts';
import { minimum, spreads, timed } from '../statistics.ts';

const ROUNDS = 10;
const LIMIT_MS = 60;

export const FOREIGN_TASKS = 1_000_000;
export const FOREIGN_USER = 'other';
export const CALLER = { actor: 'owner', user: 'owner', tool: 'bench' };
export const TASK = { title: 'Buy groceries', description: 'Milk, eggs, bread' };
/** All but `n` and the number. */
export const TASK_WORDS = ['bread', 'buy', 'eggs', 'groceries', 'milk'];

/**
 * Searches a task while another user has a million tasks with the same words.
 *
 * @param name of the store
 * @param fill adds the other tasks
 */
export async function measureSearch(
  name: string,
  database: string,
  fill: () => Promise<void>,
): Promise<Figures> {
  await using todo: Todo = openTodo({ database });
  const store = await todo.store();
  await store.add(CALLER, TASK);
  await store.add({ ...CALLER, user: FOREIGN_USER }, TASK);
  await fill();
  const search = { name: `${name}, search beside a million tasks of another user` };
  const query = { status: 'all', limit: 100, words: ['groceries'] } as const;
  const costs = await timed(ROUNDS, [search], () => store.list(CALLER, query));
  const value = minimum(costs.get(search) ?? []) / LIMIT_MS;
  return {
    numbers: spreads(costs, 'ms'),
    ratios: [{ title: `${search.name}, to ${LIMIT_MS} ms`, value, target: { atMost: 1 } }],
  };
}
