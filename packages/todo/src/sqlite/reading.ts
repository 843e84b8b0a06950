import { and, count, desc, eq, gte, inArray, lt, lte, sql, type SQL, sum } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { toTask } from '../store/records.ts';
import { isCounted, MAX_COUNTED_TASKS, type TaskPage, type TaskQuery } from '../store/task-store.ts';
import { LAST_CODE_POINT, MAX_LOOKED_UP_WORDS, READ_TASKS, WordSearch } from '../store/word-search.ts';
import { taskCounts, tasks, TASKS_PER_BLOCK, taskWords } from './schema.ts';
import type { Connection } from './statements.ts';

/** Unix time in milliseconds on the clock of the database: all processes of this machine have the same. */
export const NOW_MS = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

/**
 * Whether a task is pending, waits for no pending task, and nobody holds it. CROSS JOIN keeps the order: SQLite would read
 * all tasks of the user for each task.
 */
export function isReady(): SQL {
  return sql`(NOT ${tasks.completed} AND coalesce(${tasks.claimedUntil}, 0) <= ${NOW_MS} AND NOT EXISTS (
    SELECT 1 FROM json_each(${tasks.waitsFor}) AS first CROSS JOIN ${tasks} AS earlier
    WHERE earlier.user_id = ${tasks.userId} AND earlier.id = first.value AND NOT earlier.completed))`;
}

type TaskFilter = Omit<TaskQuery, 'limit' | 'words'>;

export function readPage(connection: Connection, user: string, query: TaskQuery): TaskPage {
  const { orm } = connection;
  const { status, limit, words } = query;
  if (words !== undefined) return searchPage(connection, user, query, words);
  const found = (filter: TaskFilter) =>
    orm.select().from(tasks).where(matchesQuery(user, filter)).orderBy(desc(tasks.id));
  const rows = found(query).limit(limit).all();
  const last = rows.length === limit ? rows.at(-1)?.id : undefined;
  return { tasks: rows.map(toTask), remaining: last === undefined ? 0 : remainingAfter(last) };

  function remainingAfter(id: number): number {
    if (isCounted(query)) return countTasksBefore(orm, user, status, id);
    const rest = found({ ...query, afterId: id }).limit(MAX_COUNTED_TASKS);
    return orm.get<{ count: number }>(sql`SELECT count(*) AS count FROM ${rest}`).count;
  }
}

function searchPage(
  { orm, statements }: Connection,
  user: string,
  query: TaskQuery,
  words: readonly string[],
): TaskPage {
  const search = new WordSearch(query, words);
  const texts = orm.select({ id: tasks.id, title: tasks.title, description: tasks.description }).from(tasks);
  const read = (condition: SQL | undefined) => texts.where(condition).orderBy(desc(tasks.id));
  const rarest = statements.rarestPrefix.get({
    user,
    prefixes: JSON.stringify(words),
    last: LAST_CODE_POINT,
    limit: MAX_LOOKED_UP_WORDS,
  });
  if (rarest !== undefined) {
    const ids = sql`${tasks.id} IN (${idsToRead(user, rarest)})`;
    search.add(read(and(matchesQuery(user, query), ids)).all(), true);
  }
  while (search.isOpen) {
    const { afterId } = search;
    const rows = read(matchesQuery(user, { ...query, ...(afterId === undefined ? {} : { afterId }) }))
      .limit(READ_TASKS)
      .all();
    search.add(rows, rows.length < READ_TASKS);
  }
  const { ids, ...rest } = search.result();
  const rows = orm
    .select()
    .from(tasks)
    .where(and(eq(tasks.userId, user), inArray(tasks.id, [...ids])))
    .orderBy(desc(tasks.id));
  return { tasks: rows.all().map(toTask), ...rest };
}

/** Ids of tasks with a word that begins like this. */
function idsToRead(user: string, prefix: string): SQL {
  const { userId, word, taskId } = taskWords;
  const hasPrefix = and(eq(userId, user), gte(word, prefix), lt(word, `${prefix}${LAST_CODE_POINT}`));
  return sql`SELECT ${taskId} FROM ${taskWords} WHERE ${hasPrefix}`;
}

export function matchesTask(user: string, id: number): SQL | undefined {
  return and(eq(tasks.userId, user), eq(tasks.id, id));
}

function matchesQuery(user: string, { status, afterId, dueBy, ready, project }: TaskFilter): SQL | undefined {
  return and(
    eq(tasks.userId, user),
    status === 'all' ? undefined : eq(tasks.completed, status === 'completed'),
    afterId === undefined ? undefined : lt(tasks.id, afterId),
    dueBy === undefined ? undefined : lte(tasks.dueDate, dueBy),
    ready === true ? isReady() : undefined,
    project === undefined ? undefined : eq(tasks.project, project),
  );
}

/** Sums the counters of the blocks below the one of `id`, and counts the tasks of that block: counting a million takes 76 ms. */
function countTasksBefore(
  orm: BetterSQLite3Database,
  user: string,
  status: TaskQuery['status'],
  id: number,
): number {
  const block = Math.floor(id / TASKS_PER_BLOCK);
  const { pending, completed } = taskCounts;
  const counter = { all: sql`${pending} + ${completed}`, pending, completed }[status];
  const blocks = orm
    .select({ tasks: sum(counter).mapWith(Number) })
    .from(taskCounts)
    .where(and(eq(taskCounts.userId, user), lt(taskCounts.block, block)))
    .get();
  const rest = orm
    .select({ tasks: count() })
    .from(tasks)
    .where(and(matchesQuery(user, { status, afterId: id }), gte(tasks.id, block * TASKS_PER_BLOCK)))
    .get();
  return (blocks?.tasks ?? 0) + (rest?.tasks ?? 0);
}
