import { and, count, desc, eq, getTableColumns, gte, lt, lte, sql, type SQL, sum } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core';
import { toTask } from '../store/records.ts';
import { MAX_COUNTED_TASKS, type TaskPage, type TaskQuery } from '../store/task-store.ts';
import { taskCounts, taskRows, tasks, TASKS_PER_BLOCK } from './schema.ts';

/** The full-text index. Not in schema.ts, because drizzle would create it as a table. */
const taskSearch = sqliteTable('task_search', { row: integer('rowid').notNull() });

type TaskFilter = Pick<TaskQuery, 'status' | 'afterId' | 'dueBy'>;

export function readPage(orm: BetterSQLite3Database, user: string, query: TaskQuery): TaskPage {
  const { status, limit, words, dueBy } = query;
  const found = words === undefined ? findByStatus(orm, user) : findByWords(orm, user, words);
  const rows = found(query).limit(limit).all();
  const last = rows.length === limit ? rows.at(-1)?.id : undefined;
  return { tasks: rows.map(toTask), remaining: last === undefined ? 0 : remainingAfter(last) };

  function remainingAfter(id: number): number {
    if (words === undefined && dueBy === undefined) return countTasksBefore(orm, user, status, id);
    const rest = found({ ...query, afterId: id }).limit(MAX_COUNTED_TASKS);
    return orm.get<{ count: number }>(sql`SELECT count(*) AS count FROM ${rest}`).count;
  }
}

function findByStatus(orm: BetterSQLite3Database, user: string) {
  return (query: TaskFilter) =>
    orm.select().from(tasks).where(matchesQuery(user, query)).orderBy(desc(tasks.id));
}

/** The full-text index has rows of all users, with the user as a word of each. */
function findByWords(orm: BetterSQLite3Database, user: string, words: readonly string[]) {
  const owner = Buffer.from(user).toString('hex');
  const prefixes = words.map((word) => `"${word}" *`).join(' AND ');
  const match = `owner : "u${owner}" AND {title description} : (${prefixes})`;
  return (query: TaskFilter) => {
    const { afterId } = query;
    const isAfter = afterId === undefined ? undefined : lt(taskSearch.row, firstRowFrom(user, afterId));
    return (
      orm
        .select(getTableColumns(tasks))
        .from(taskSearch)
        // SQLite keeps the order of cross joins: it would look up each task of the user in the index.
        .crossJoin(taskRows)
        .crossJoin(tasks)
        .where(
          and(
            sql`${taskSearch} MATCH ${match}`,
            eq(taskRows.row, taskSearch.row),
            eq(tasks.userId, taskRows.userId),
            eq(tasks.id, taskRows.id),
            isAfter,
            matchesQuery(user, query),
          ),
        )
        // In the order of the index: rows of one user ascend like ids.
        .orderBy(desc(taskSearch.row))
    );
  };
}

function firstRowFrom(user: string, id: number): SQL {
  return sql`coalesce((SELECT ${taskRows.row} FROM ${taskRows} WHERE ${taskRows.userId} = ${user} AND ${taskRows.id} >= ${id} ORDER BY ${taskRows.id} LIMIT 1), 9223372036854775807)`;
}

export function matchesTask(user: string, id: number): SQL | undefined {
  return and(eq(tasks.userId, user), eq(tasks.id, id));
}

function matchesQuery(user: string, { status, afterId, dueBy }: TaskFilter): SQL | undefined {
  return and(
    eq(tasks.userId, user),
    status === 'all' ? undefined : eq(tasks.completed, status === 'completed'),
    afterId === undefined ? undefined : lt(tasks.id, afterId),
    dueBy === undefined ? undefined : lte(tasks.dueDate, dueBy),
  );
}

/**
 * Sums the counters of the blocks below the one of `id`, and counts the tasks of that block.
 * Triggers maintain the counters, so that older versions of the program count, too. Counting a million tasks takes 76 ms.
 */
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
