// What changes tasks, under the lock of their user.
import { sql } from 'drizzle-orm';
import { daysBefore, digestOf, givenIn, NEW_TASK, toTask } from './records.ts';
import { localDate, recurrenceOf } from './recurrence.ts';
import { audit, idempotencyKeys, tasks, users } from './schema.ts';
import {
  ask,
  assignments,
  columnsBut,
  command,
  encoded,
  finish,
  given,
  itemFields,
  itemId,
  itemNumber,
  itemText,
  names,
  type Operation,
  query,
  type Query,
  selected,
  toRows,
} from './statements.ts';
import {
  type CallerContext,
  REPLAY_DAYS,
  InvalidOrder,
  type NewTask,
  RESTORE_DAYS,
  type Task,
  type TaskChanges,
} from './task-store.ts';

type TaskRow = typeof tasks.$inferSelect;

/** A call and its moment. */
export interface Change {
  readonly caller: CallerContext;
  readonly now: Date;
}

const USER = given('user');
const ID = given('id');
const AT_USER = sql`${tasks.userId} = ${USER}`;
const AT_TASK = sql`${AT_USER} AND ${tasks.id} = ${ID}`;

export const taskRow = selected(tasks);

const LAST_ID = sql`(SELECT last_task_id FROM ${users} WHERE id = ${USER})`;
/** Of a row that another program has added, else 0. It reads no other rows. */
const HIGHEST_ID = sql`coalesce((SELECT max(id) FROM ${tasks} WHERE ${AT_USER} AND id > ${LAST_ID}), 0)`;

/** The first statement of a change: others of the same user wait. A user without tasks has no row. @returns the last id */
const lockUser = query(
  ({ forUpdate }) =>
    sql`SELECT ${users.lastTaskId}, ${HIGHEST_ID} FROM ${users} WHERE ${users.id} = ${USER}${forUpdate}`,
  ([last, highest]) => Math.max(Number(last), Number(highest)),
);

export const readTask = query(
  () => sql`SELECT ${taskRow.fields} FROM ${tasks} WHERE ${AT_TASK} AND deleted_at IS NULL`,
  taskRow.decode,
);

/** A task under the lock of its user. */
export interface FoundTask {
  readonly task: TaskRow;
  /** On the clock of the database. */
  readonly nowMs: number;
}

export function foundTask([nowMs, ...row]: readonly unknown[]): FoundTask {
  return { nowMs: Number(nowMs), task: taskRow.decode(row) };
}

/** Also a deleted task. With the clock of the database. */
const taskToChange = query(
  ({ now, forUpdate }) => sql`SELECT ${now}, ${taskRow.fields} FROM ${tasks} WHERE ${AT_TASK}${forUpdate}`,
  foundTask,
);

const changeable = columnsBut(tasks, tasks.userId, tasks.id, tasks.project, tasks.createdAt);

const writeTask = command(() => sql`UPDATE ${tasks} SET ${assignments(changeable)} WHERE ${AT_TASK}`);

const writeAudit = command(
  () => sql`INSERT INTO ${audit} (${names(columnsBut(audit, audit.id))})
    VALUES (${given('at')}, ${given('actor')}, ${USER}, ${given('tool')}, 'ok', ${ID}, ${given('changed')})`,
);

function audited({ caller, now }: Change, id: number, changed: readonly string[] = []): Query {
  const { actor, user, tool } = caller;
  return writeAudit({ user, id, actor, tool, at: now.getTime(), changed: changed.join(',') || null });
}

/** Writes a task that was read with `taskToChange`. @param before what is written with it */
export function* write(
  change: Change,
  row: TaskRow,
  changed?: readonly string[],
  before: readonly Query[] = [],
): Operation<Task> {
  const values = { user: change.caller.user, ...encoded(tasks, row) };
  yield* finish(...before, writeTask(values), audited(change, row.id, changed));
  return toTask(row);
}

/** Tasks that one call adds. */
export interface Addition extends Change {
  readonly tasks: readonly NewTask[];
}

/** As `lockUser`, and creates the user. @returns the last of the new ids */
const reserveIds = query(
  () => sql`INSERT INTO ${users} AS known (id, last_task_id)
    SELECT ${USER}, ${HIGHEST_ID} + ${given('count')} WHERE true
    ON CONFLICT (id) DO UPDATE SET last_task_id = CASE
      WHEN excluded.last_task_id > known.last_task_id + ${given('count')} THEN excluded.last_task_id
      ELSE known.last_task_id + ${given('count')} END
    RETURNING last_task_id`,
  ([lastTaskId]) => Number(lastTaskId),
);

const { claimedBy, claimKey, claimedUntil } = tasks;
const notGiven = [tasks.userId, tasks.id, tasks.nextId, claimedBy, claimKey, claimedUntil, tasks.deletedAt];
const newColumns = columnsBut(tasks, ...notGiven);

/** The id of the row of number `n`, from 1. */
const RESERVED = sql`${LAST_ID} - ${given('count')} + ${itemNumber('n')}`;

const insertTasks = command(
  ({ each }) => sql`INSERT INTO ${tasks} (${names([tasks.userId, tasks.id, ...newColumns])})
    SELECT ${USER}, ${RESERVED}, ${itemFields(newColumns)} FROM ${each(given('rows'))}`,
);

const auditAdditions = command(
  ({ each }) => sql`INSERT INTO ${audit} (${names(columnsBut(audit, audit.id, audit.changed))})
    SELECT ${itemNumber('at')}, ${itemText('actor')}, ${USER}, ${itemText('tool')}, 'ok', ${RESERVED} FROM ${each(given('calls'))}`,
);

/** @returns the statements that add tasks of one user; the first one answers the last id */
function additions(user: string, all: readonly Addition[]) {
  let count = 0;
  const rows = all.flatMap(({ tasks: added, now }) =>
    added.map((task) => ({ n: (count += 1), ...encoded(tasks, { ...NEW_TASK, createdAt: now, ...task }) })),
  );
  let last = 0;
  const calls = all.map(({ caller: { actor, tool }, tasks: { length }, now }) => {
    last += length;
    return { n: length === 1 ? last : null, actor, tool, at: now.getTime() };
  });
  return {
    reserve: reserveIds({ user, count }),
    insert: insertTasks({ user, count, rows: toRows(rows) }),
    audit: auditAdditions({ user, count, calls: toRows(calls) }),
  };
}

/**
 * Adds tasks of one user that wait for nothing, of several calls at once.
 *
 * @param others what is written with them
 * @returns the tasks of each call
 */
export function* addTogether(
  user: string,
  all: readonly Addition[],
  others: readonly Query[] = [],
): Operation<readonly (readonly Task[])[]> {
  const { reserve, insert, audit: entry } = additions(user, all);
  const [[last = 0]] = yield* finish(reserve, insert, entry, ...others);
  let id = last - all.reduce((count, { tasks: { length } }) => count + length, 0);
  return all.map(({ tasks: added, now }) => added.map((task) => addedAs((id += 1), task, now)));
}

function addedAs(id: number, task: NewTask, now: Date): Task {
  return toTask({ ...NEW_TASK, createdAt: now, ...task, id });
}

const keyRow = selected(idempotencyKeys);

const readKey = query(
  () => sql`SELECT ${keyRow.fields} FROM ${idempotencyKeys}
    WHERE user_id = ${USER} AND key = ${given('key')} AND created_at > ${given('since')}`,
  keyRow.decode,
);

const writeKey = command(
  () => sql`INSERT INTO ${idempotencyKeys} (${names(columnsBut(idempotencyKeys))})
    VALUES (${USER}, ${given('key')}, ${given('digest')}, ${LAST_ID}, ${given('at')})
    ON CONFLICT (user_id, key) DO UPDATE
    SET digest = excluded.digest, task_id = excluded.task_id, created_at = excluded.created_at`,
);

/**
 * Adds tasks that wait for others, or a task with a key.
 *
 * @returns undefined if the key was used for another task
 */
export function* add(addition: Addition, key?: string): Operation<readonly Task[] | undefined> {
  const { caller, tasks: wanted, now } = addition;
  const { user } = caller;
  const [first] = wanted;
  const since = daysBefore(now, REPLAY_DAYS).getTime();
  const after = [...new Set(wanted.flatMap((task) => task.after ?? []))];
  const [[base = 0], [before], existing] = yield* ask(
    reserveIds({ user, count: 0 }),
    readKey({ user, key, since }),
    existingTasks({ user, ids: JSON.stringify(after) }),
  );
  if (before !== undefined && first !== undefined) {
    if (before.digest !== digestOf(first)) return undefined;
    return [addedAs(before.taskId, { ...first, completed: false, createdAt: before.createdAt }, now)];
  }
  requireTasks(after, existing);
  const added = wanted.map((task) => withOrder(task, base));
  const keys = wanted.flatMap((task) => {
    return key === undefined ? [] : writeKey({ user, key, digest: digestOf(task), at: now.getTime() });
  });
  const [answer = []] = yield* addTogether(user, [{ ...addition, tasks: added }], keys);
  return answer;
}

/** @param base the id before the first one of the call */
function withOrder({ afterAdded = [], after = [], ...task }: NewTask, base: number): NewTask {
  return { ...task, after: [...after, ...afterAdded.map((position) => base + 1 + position)] };
}

/** Those of the ids that exist. */
export const existingTasks = query(
  ({ each }) => sql`SELECT id, completed FROM ${tasks} WHERE ${AT_USER} AND deleted_at IS NULL
    AND id IN (SELECT ${itemId} FROM ${each(given('ids'))}) ORDER BY id`,
  ([id, completed]) => ({ id: Number(id), isPending: Number(completed) === 0 }),
);

/** Whether a task that waits for these waits for itself. */
const findLoop = query(
  ({ each }) => sql`WITH RECURSIVE earlier (id) AS (
      SELECT ${itemId} FROM ${each(given('ids'))}
      UNION
      SELECT ${itemId} FROM earlier JOIN ${tasks} ON ${AT_USER} AND deleted_at IS NULL AND tasks.id = earlier.id, ${each(sql`waits_for`)}
    ) SELECT 1 FROM earlier WHERE id = ${ID}`,
  () => true,
);

/** @throws InvalidOrder */
function requireTasks(after: readonly number[], existing: readonly { readonly id: number }[]): void {
  const missing = after.filter((id) => existing.every((task) => task.id !== id));
  if (missing.length > 0)
    throw new InvalidOrder(`after names tasks that do not exist: ${missing.join(', ')}`);
}

/** @returns the task, and the last id of its user */
export function* taskOf(
  { caller: { user } }: Change,
  id: number,
  isDeletedToo = false,
): Operation<(FoundTask & { readonly last: number }) | undefined> {
  const [[last = 0], [found]] = yield* ask(lockUser({ user }), taskToChange({ user, id }));
  if (found === undefined || (found.task.deletedAt !== null && !isDeletedToo)) return undefined;
  return { ...found, last };
}

/** A recurring task is followed by the next one, which takes `every` over: no second completion adds another one. */
export function* complete(change: Change, id: number): Operation<Task | undefined> {
  const found = yield* taskOf(change, id);
  if (found === undefined) return undefined;
  const { task } = found;
  const { title, description, project, priority } = task;
  const done = { ...task, completed: true, ...NO_CLAIM };
  const recurrence = recurrenceOf(toTask(task), localDate(change.now));
  if (recurrence === undefined) return yield* write(change, done);
  const { dueDate } = recurrence;
  // A series on a day says so itself.
  const seriesDay = task.every?.includes(' on ') === true ? null : recurrence.seriesDay;
  const next = { title, description, project, priority, every: task.every, dueDate, seriesDay };
  const { reserve, insert } = additions(change.caller.user, [{ ...change, tasks: [next] }]);
  const row = { ...done, every: null, seriesDay: null, nextId: found.last + 1 };
  return yield* write(change, row, [], [reserve, insert]);
}

export const NO_CLAIM = { claimedBy: null, claimKey: null, claimedUntil: null };

/** A pending task stays as it is, with its claim. */
export function* reopen(change: Change, id: number): Operation<Task | undefined> {
  const found = yield* taskOf(change, id);
  if (found === undefined) return undefined;
  return yield* write(change, { ...found.task, completed: false });
}

export function* update(change: Change, id: number, changes: TaskChanges): Operation<Task | undefined> {
  const { user } = change.caller;
  const found = yield* taskOf(change, id);
  if (found === undefined) return undefined;
  const { after } = changes;
  if (after !== undefined) {
    const ids = JSON.stringify(after);
    const [existing, loop] = yield* ask(existingTasks({ user, ids }), findLoop({ user, id, ids }));
    requireTasks(after, existing);
    if (loop.length > 0) throw new InvalidOrder(`Task ${id} would wait for itself`);
  }
  const values = givenIn(changes);
  const changed = Object.keys(values).map((field) => (field === 'dueDate' ? 'due_date' : field));
  const isNewSeries = changes.dueDate !== undefined || changes.every !== undefined;
  const row = { ...found.task, ...values, ...(isNewSeries ? { seriesDay: null } : {}) };
  return yield* write(change, row, changed);
}

const deleteTask = command(() => sql`DELETE FROM ${tasks} WHERE ${AT_TASK}`);

/** @param isForGood whether nothing can restore it, also if it was removed before */
export function* remove(change: Change, id: number, isForGood: boolean): Operation<Task | undefined> {
  const { caller, now } = change;
  const found = yield* taskOf(change, id, isForGood);
  if (found === undefined) return undefined;
  const { task } = found;
  if (isForGood) yield* finish(deleteTask({ user: caller.user, id }), audited(change, id));
  else yield* write(change, { ...task, ...NO_CLAIM, deletedAt: now });
  return toTask(task);
}

export function* restore(change: Change, id: number): Operation<Task | undefined> {
  const found = yield* taskOf(change, id, true);
  if (found === undefined) return undefined;
  const { task } = found;
  const { after, deletedAt } = task;
  if (deletedAt === null) return yield* write(change, task);
  if (deletedAt <= daysBefore(change.now, RESTORE_DAYS)) return undefined;
  const ids = JSON.stringify(after);
  const [loop] = after.length === 0 ? [[]] : yield* ask(findLoop({ user: change.caller.user, id, ids }));
  // What was ordered meanwhile may wait for it.
  return yield* write(change, { ...task, deletedAt: null, after: loop.length > 0 ? [] : after });
}
