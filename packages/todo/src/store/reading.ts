// What reads tasks and the audit.
import { getOrAdd } from '@deskside/core/base';
import { sql, type SQL } from 'drizzle-orm';
import { isReady } from './claims.ts';
import { readTask, taskRow } from './changes.ts';
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
  type Query,
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

const valuesOf = ({ afterId, dueBy, project }: Filter) => ({ afterId, dueBy, project });

/** Lists differ in their conditions: each set of them is a statement. */
function byConditions<Row>(write: (conditions: SQL) => SQL, decode: (row: readonly unknown[]) => Row) {
  const known = new Map<string, (values: Values) => Query<Row>>();
  return (filter: Filter) => {
    const { status, afterId, dueBy, ready, project } = filter;
    const isGiven = [afterId, dueBy, project].map((value) => value !== undefined);
    const key = String([status, ready === true, ...isGiven]);
    return getOrAdd(known, key, () => query((dialect) => write(matches(filter, dialect)), decode));
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

const page = byConditions(
  (conditions) => sql`SELECT ${taskRow.fields} FROM ${tasks}
    WHERE ${conditions} ORDER BY id DESC LIMIT ${given('limit')}`,
  taskRow.decode,
);

const count = byConditions(
  (conditions) => sql`SELECT count(*) FROM ${tasks} WHERE ${conditions}`,
  ([found]) => Number(found),
);

export function* list(user: string, asked: TaskQuery): Operation<TaskPage> {
  if (asked.words !== undefined) return yield* search(user, asked, asked.words);
  const { limit } = asked;
  const values = { user, limit, ...valuesOf(asked) };
  const [rows, [found = 0]] = yield* finish(page(asked)(values), count(asked)(values));
  return { tasks: rows.map(toTask), remaining: Math.max(0, found - rows.length) };
}

/** What words are searched in. A whole row would cost twice the time. */
const texts = byConditions(
  (conditions) => sql`SELECT id, title, description FROM ${tasks}
    WHERE ${conditions} ORDER BY id DESC LIMIT ${sql.raw(String(SEARCHED_AT_ONCE))}`,
  ([id, ...both]) => ({ id: Number(id), text: both.join('\n') }),
);

const tasksOf = query(
  ({ each }) => sql`SELECT ${taskRow.fields} FROM ${tasks}
    WHERE user_id = ${given('user')} AND id IN (SELECT ${itemId} FROM ${each(given('ids'))}) ORDER BY id DESC`,
  taskRow.decode,
);

/** Reads all own tasks, newest first, in slices: other calls go on between two of them. */
function* search(user: string, asked: TaskQuery, words: readonly string[]): Operation<TaskPage> {
  const isMatch = wordMatcher(words);
  const found: number[] = [];
  for (let { afterId } = asked, isComplete = false; !isComplete;) {
    const filter = { ...asked, afterId };
    const [rows] = yield* ask(texts(filter)({ user, ...valuesOf(filter) }));
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
