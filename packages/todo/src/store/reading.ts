// What reads tasks and the audit.
import { getOrAdd } from '@deskside/core/base';
import { sql, type SQL } from 'drizzle-orm';
import { isReady } from './claims.ts';
import { readTask } from './changes.ts';
import { toTask, toTimestamp } from './records.ts';
import { audit, callCounts, tasks } from './schema.ts';
import {
  ask,
  type Dialect,
  finish,
  given,
  itemId,
  type Operation,
  query,
  selected,
  type Values,
} from './statements.ts';
import type { Audit, Task, TaskPage, TaskQuery } from './task-store.ts';
import { wordMatcher } from './words.ts';

/** What a search reads at once: some milliseconds of SQLite, or a round trip to PostgreSQL. */
const SEARCHED_AT_ONCE = 2000;

export function* get(user: string, id: number): Operation<Task | undefined> {
  const [[found]] = yield* finish(readTask({ user, id }));
  return found && toTask(found);
}

type Filter = Omit<TaskQuery, 'words' | 'limit'>;

/** Lists differ in their conditions: each set of them is a statement. */
function byConditions<Statement>(write: (filter: Filter) => Statement): (filter: Filter) => Statement {
  const known = new Map<string, Statement>();
  return (filter) => {
    const { status, afterId, dueBy, ready, project } = filter;
    const key = JSON.stringify([
      status,
      afterId === undefined,
      dueBy === undefined,
      ready === true,
      project === undefined,
    ]);
    return getOrAdd(known, key, () => write(filter));
  };
}

function matches({ status, afterId, dueBy, ready, project }: Filter, dialect: Dialect): SQL {
  const conditions = [
    sql`user_id = ${given('user')} AND deleted_at IS NULL`,
    ...(status === 'all' ? [] : [status === 'completed' ? sql`completed = 1` : sql`completed = 0`]),
    ...(afterId === undefined ? [] : [sql`id < ${given('afterId')}`]),
    ...(dueBy === undefined ? [] : [sql`due_date <= ${given('dueBy')}`]),
    ...(ready === true ? [isReady(dialect)] : []),
    ...(project === undefined ? [] : [sql`project = ${given('project')}`]),
  ];
  return sql.join(conditions, sql` AND `);
}

const row = selected(tasks);

const page = byConditions((filter) =>
  query(
    (dialect) =>
      sql`SELECT ${row.fields} FROM ${tasks} WHERE ${matches(filter, dialect)} ORDER BY id DESC LIMIT ${given('limit')}`,
    row.decode,
  ),
);

const count = byConditions((filter) =>
  query(
    (dialect) => sql`SELECT count(*) FROM ${tasks} WHERE ${matches(filter, dialect)}`,
    ([found]) => Number(found),
  ),
);

export function* list(user: string, asked: TaskQuery): Operation<TaskPage> {
  if (asked.words !== undefined) return yield* search(user, asked, asked.words);
  const { limit } = asked;
  const values = { ...valuesOf(user, asked), limit };
  const [rows, [found = 0]] = yield* finish(page(asked)(values), count(asked)(values));
  return { tasks: rows.map(toTask), remaining: Math.max(0, found - rows.length) };
}

function valuesOf(user: string, { afterId, dueBy, project }: Filter): Values {
  return { user, afterId: afterId ?? null, dueBy: dueBy ?? null, project: project ?? null };
}

/** What words are searched in. A whole row would cost twice the time. */
const texts = byConditions((filter) =>
  query(
    (dialect) => sql`SELECT id, title, description FROM ${tasks}
      WHERE ${matches(filter, dialect)} ORDER BY id DESC LIMIT ${sql.raw(String(SEARCHED_AT_ONCE))}`,
    ([id, ...both]) => ({ id: Number(id), text: both.join('\n') }),
  ),
);

const tasksOf = query(
  ({ each }) => sql`SELECT ${row.fields} FROM ${tasks}
    WHERE user_id = ${given('user')} AND id IN (SELECT ${itemId} FROM ${each(given('ids'))}) ORDER BY id DESC`,
  row.decode,
);

/** Reads all own tasks, newest first, in slices: other calls go on between two of them. */
function* search(user: string, asked: TaskQuery, words: readonly string[]): Operation<TaskPage> {
  const isMatch = wordMatcher(words);
  const found: number[] = [];
  for (let { afterId } = asked, isComplete = false; !isComplete;) {
    const filter = { ...asked, afterId };
    const [rows] = yield* ask(texts(filter)(valuesOf(user, filter)));
    found.push(...rows.filter(({ text }) => isMatch(text)).map(({ id }) => id));
    afterId = rows.at(-1)?.id;
    isComplete = rows.length < SEARCHED_AT_ONCE;
  }
  const [matching] = yield* finish(tasksOf({ user, ids: JSON.stringify(found.slice(0, asked.limit)) }));
  return { tasks: matching.map(toTask), remaining: Math.max(0, found.length - asked.limit) };
}

const changesOfUser = selected(audit);
const countsOfUser = selected(callCounts);

const newestChanges = query(
  () => sql`SELECT ${changesOfUser.fields} FROM ${audit} WHERE ${audit.user} = ${given('user')} OR ${audit.actor} = ${given('user')}
    ORDER BY id DESC LIMIT ${given('limit')}`,
  changesOfUser.decode,
);

const newestCounts = query(
  () => sql`SELECT ${countsOfUser.fields} FROM ${callCounts} WHERE ${callCounts.actor} = ${given('user')}
    ORDER BY day DESC, tool, outcome LIMIT ${given('limit')}`,
  countsOfUser.decode,
);

export function* readAudit(user: string, limit: number): Operation<Audit> {
  const [changes, counts] = yield* finish(newestChanges({ user, limit }), newestCounts({ user, limit }));
  return {
    changes: changes.map(({ id: _, at, ...row }) => Object.assign(row, { at: toTimestamp(at) })),
    counts,
  };
}
