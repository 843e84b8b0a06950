import { and, count, desc, eq, getTableColumns, gte, lt, lte, type SQL, sql, sum } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { toTask } from '../store/records.ts';
import { MAX_COUNTED_TASKS, type Task, type TaskPage, type TaskQuery } from '../store/task-store.ts';
import { earlierWord } from '../store/words.ts';
import { taskCounts, tasks, TASKS_PER_BLOCK } from './schema.ts';

/** All but the words, which only the server reads. */
const { words: _words, ...otherColumns } = getTableColumns(tasks);
export const taskColumns = otherColumns;

export async function readPage(database: NodePgDatabase, user: string, query: TaskQuery): Promise<TaskPage> {
  const { status, limit, words, dueBy } = query;
  const find = (filter: TaskQuery) =>
    database.select(taskColumns).from(tasks).where(matchesQuery(user, filter)).orderBy(desc(tasks.id));
  const rows = await find(query).limit(limit);
  const last = rows.length === limit ? rows.at(-1)?.id : undefined;
  return { tasks: rows.map(toTask), remaining: last === undefined ? 0 : await remainingAfter(last) };

  async function remainingAfter(id: number): Promise<number> {
    if (words === undefined && dueBy === undefined) return countTasksBefore(database, user, status, id);
    const rest = find({ ...query, afterId: id }).limit(MAX_COUNTED_TASKS);
    const [counted] = await database.select({ tasks: count() }).from(rest.as('rest'));
    return counted?.tasks ?? 0;
  }
}

export async function readTask(
  database: NodePgDatabase,
  user: string,
  id: number,
): Promise<Task | undefined> {
  const rows = await database.select(taskColumns).from(tasks).where(matchesTask(user, id));
  return rows.map(toTask)[0];
}

export function matchesTask(user: string, id: number): SQL | undefined {
  return and(eq(tasks.userId, user), eq(tasks.id, id));
}

function matchesQuery(
  user: string,
  { status, afterId, words, dueBy }: Omit<TaskQuery, 'limit'>,
): SQL | undefined {
  return and(
    eq(tasks.userId, user),
    status === 'all' ? undefined : eq(tasks.completed, status === 'completed'),
    afterId === undefined ? undefined : lt(tasks.id, afterId),
    dueBy === undefined ? undefined : lte(tasks.dueDate, dueBy),
    words === undefined ? undefined : sql`${tasks.words} @@ ${prefixesOf(words)}::tsquery`,
  );
}

/** Words have letters and digits only, so that quotes need no escape. */
function prefixesOf(words: readonly string[]): string {
  return words.map((word) => `('${word}':* | '${earlierWord(word)}':*)`).join(' & ');
}

/** Sums the counters of the blocks below the one of `id`, and counts the tasks of that block. */
async function countTasksBefore(
  database: NodePgDatabase,
  user: string,
  status: TaskQuery['status'],
  id: number,
): Promise<number> {
  const block = Math.floor(id / TASKS_PER_BLOCK);
  const { pending, completed } = taskCounts;
  const counter = { all: sql`${pending} + ${completed}`, pending, completed }[status];
  const [blocks] = await database
    .select({ tasks: sum(counter).mapWith(Number) })
    .from(taskCounts)
    .where(and(eq(taskCounts.userId, user), lt(taskCounts.block, block)));
  const [rest] = await database
    .select({ tasks: count() })
    .from(tasks)
    .where(and(matchesQuery(user, { status, afterId: id }), gte(tasks.id, block * TASKS_PER_BLOCK)));
  return (blocks?.tasks ?? 0) + (rest?.tasks ?? 0);
}
