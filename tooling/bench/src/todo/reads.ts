import { openTodo, type Todo } from '@deskside/todo';
import { timed } from '../manictime/timed.ts';
import { median } from '../statistics.ts';

const ROUNDS = 10;
const PAGE_TASKS = 100;

export const SIZES = [1000, 1_000_000];
export const CALLER = { actor: 'owner', user: 'owner', tool: 'bench' };
export const TASK = { title: 'Buy groceries', description: 'Milk, eggs, bread' };

export const READ_COLUMNS = [
  'Tasks of the user',
  `first ${PAGE_TASKS}`,
  `${PAGE_TASKS} from the middle`,
  'rare word',
  'word of every task',
];

/**
 * Reads a list in which each task has the title of `TASK` and one word that no other task has: `n` and its id.
 *
 * @returns a row for `READ_COLUMNS`, ms
 */
export async function measureReads(
  database: string,
  size: number,
  fill: (size: number) => Promise<void>,
): Promise<string[]> {
  await using todo: Todo = openTodo({ database });
  const store = await todo.store();
  await store.add(CALLER, { ...TASK, title: `${TASK.title} n1` });
  await fill(size);
  const page = { status: 'all', limit: PAGE_TASKS } as const;
  const cells: string[] = [];
  for (const query of [
    page,
    { ...page, afterId: Math.floor(size / 2) },
    { ...page, words: [`n${Math.floor(size / 3)}`] },
    { ...page, words: ['groceries'] },
  ]) {
    cells.push(median(await timed(ROUNDS, () => store.list(CALLER, query))).toFixed(2));
  }
  return [size.toLocaleString('en'), ...cells];
}
