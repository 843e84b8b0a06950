import { and, count, desc, eq, gte, inArray, lt, lte, type SQL, sql, sum } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { toTask } from '../store/records.ts';
import {
  isCounted,
  MAX_COUNTED_TASKS,
  type Task,
  type TaskPage,
  type TaskQuery,
} from '../store/task-store.ts';
import { READ_TASKS, WordSearch } from '../store/word-search.ts';
import { isReady } from './ready.ts';
import { taskCounts, tasks, TASKS_PER_BLOCK } from './schema.ts';
import { rarestPrefix, tasksWithPrefix } from './words.ts';

export async function readPage(database: NodePgDatabase, user: string, query: TaskQuery): Promise<TaskPage> {
  const { status, limit, words } = query;
  if (words !== undefined) return searchPage(database, user, query, words);
  const find = (filter: TaskQuery) =>
    database.select().from(tasks).where(matchesQuery(user, filter)).orderBy(desc(tasks.id));
  const rows = await find(query).limit(limit);
  const last = rows.length === limit ? rows.at(-1)?.id : undefined;
  return { tasks: rows.map(toTask), remaining: last === undefined ? 0 : await remainingAfter(last) };

  async function remainingAfter(id: number): Promise<number> {
    if (isCounted(query)) return countTasksBefore(database, user, status, id);
    const rest = find({ ...query, afterId: id }).limit(MAX_COUNTED_TASKS);
    const [counted] = await database.select({ tasks: count() }).from(rest.as('rest'));
    return counted?.tasks ?? 0;
  }
}

async function searchPage(
  database: NodePgDatabase,
  user: string,
  query: TaskQuery,
  words: readonly string[],
): Promise<TaskPage> {
  const search = new WordSearch(query, words);
  const read = (condition: SQL | undefined) =>
    database
      .select({ id: tasks.id, title: tasks.title, description: tasks.description })
      .from(tasks)
      .where(condition)
      .orderBy(desc(tasks.id));
  const rarest = await rarestPrefix(database, user, words);
  if (rarest !== undefined) {
    const hasPrefix = sql`${tasks.id} IN (${tasksWithPrefix(user, rarest)})`;
    search.add(await read(and(matchesQuery(user, query), hasPrefix)), true);
  }
  while (search.isOpen) {
    const { afterId } = search;
    const filter = { ...query, ...(afterId === undefined ? {} : { afterId }) };
    const rows = await read(matchesQuery(user, filter)).limit(READ_TASKS);
    search.add(rows, rows.length < READ_TASKS);
  }
  const { ids, ...rest } = search.result();
  const rows = await database
    .select()
    .from(tasks)
    .where(and(eq(tasks.userId, user), inArray(tasks.id, [...ids])))
    .orderBy(desc(tasks.id));
  return { tasks: rows.map(toTask), ...rest };
}

export async function readTask(
  database: NodePgDatabase,
  user: string,
  id: number,
): Promise<Task | undefined> {
  const rows = await database.select().from(tasks).where(matchesTask(user, id));
  return rows.map(toTask)[0];
}

export function matchesTask(user: string, id: number): SQL | undefined {
  return and(eq(tasks.userId, user), eq(tasks.id, id));
}

function matchesQuery(
  user: string,
  { status, afterId, dueBy, ready, project }: Omit<TaskQuery, 'limit' | 'words'>,
): SQL | undefined {
  return and(
    eq(tasks.userId, user),
    status === 'all' ? undefined : eq(tasks.completed, status === 'completed'),
    afterId === undefined ? undefined : lt(tasks.id, afterId),
    dueBy === undefined ? undefined : lte(tasks.dueDate, dueBy),
    ready === true ? isReady() : undefined,
    project === undefined ? undefined : eq(tasks.project, project),
  );
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
