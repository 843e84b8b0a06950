// What both stores read and write in the same form: tasks, audit rows, times and digests.
import { createHash } from 'node:crypto';
import type { NewTask, RejectionReason, Task, TaskChanges } from './task-store.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A task as both databases return it. */
interface TaskRecord extends Omit<Task, 'createdAt' | 'after' | 'claim'> {
  readonly createdAt: Date;
  readonly waitsFor: readonly number[];
  readonly seriesDay: number | null;
  /** A deleted task has no claim. */
  readonly claimedBy?: string | null;
  readonly claimedUntil?: number | null;
}

export function toTask({ waitsFor: after, claimedBy, claimedUntil, ...record }: TaskRecord): Task {
  const { id, title, description, completed, dueDate, project, priority, seriesDay, nextId } = record;
  const every =
    record.every !== null && seriesDay !== null ? `${record.every} on ${seriesDay}` : record.every;
  const createdAt = toTimestamp(record.createdAt);
  const task = {
    id,
    title,
    description,
    completed,
    createdAt,
    dueDate,
    project,
    priority,
    after,
    every,
    nextId,
  };
  if (typeof claimedBy !== 'string') return task;
  return { ...task, claim: { by: claimedBy, until: new Date(claimedUntil ?? 0) } };
}

/** What an audit row says besides its caller. */
export interface AuditEntry {
  readonly outcome: 'ok' | RejectionReason;
  readonly taskId?: number | undefined;
  /** Names of the fields that the call set, never their values. */
  readonly changed?: readonly string[];
}

/** The result of a call, and its audit row. */
export interface AuditedResult<T> extends AuditEntry {
  readonly result: T;
}

/** The audit row of a call for one task, which may not exist. */
export function auditedTask(
  taskId: number,
  result: Task | undefined,
  changed: readonly string[] = [],
): AuditedResult<Task | undefined> {
  return result === undefined
    ? { result, outcome: 'task_not_found', taskId }
    : { result, outcome: 'ok', taskId, changed };
}

export function addedTask(task: Task): AuditedResult<Task> {
  return { result: task, outcome: 'ok', taskId: task.id };
}

/** The columns of a task that a call sets. */
export function fieldsOf(task: NewTask) {
  const { title, description, dueDate, project, priority, after, every, seriesDay } = task;
  return {
    title,
    description,
    dueDate: dueDate ?? null,
    project: project ?? null,
    priority: priority ?? null,
    waitsFor: [...(after ?? [])],
    every: every ?? null,
    seriesDay: seriesDay ?? null,
  };
}

/** The columns that a change sets. */
export function changesOf({ after, ...changes }: TaskChanges) {
  const isNewSeries = changes.dueDate !== undefined || changes.every !== undefined;
  return {
    ...changes,
    ...(isNewSeries ? { seriesDay: null } : {}),
    ...(after === undefined ? {} : { waitsFor: [...after] }),
  };
}

/** The answer to a key that was used before. @returns undefined as result if it was used for another task */
export function replayedTask(
  task: NewTask,
  used: { readonly digest: string; readonly taskId: number; readonly createdAt: Date },
): AuditedResult<Task | undefined> {
  const { taskId: id, createdAt } = used;
  if (used.digest !== digestOf(task)) return { result: undefined, outcome: 'invalid', taskId: id };
  return addedTask(toTask({ id, completed: false, ...fieldsOf(task), createdAt, nextId: null }));
}

export function changedFields({ title, description, dueDate, ...others }: TaskChanges): readonly string[] {
  return Object.entries({ title, description, due_date: dueDate, ...others }).flatMap(([field, value]) =>
    value === undefined ? [] : [field],
  );
}

/** Cuts off the fraction of a second. */
export function toTimestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** Days since 1970-01-01 in UTC. */
export function dayOf(time: Date): number {
  return Math.floor(time.getTime() / DAY_MS);
}

export function daysBefore(time: Date, days: number): Date {
  return new Date(time.getTime() - days * DAY_MS);
}

export function hoursBefore(time: Date, hours: number): Date {
  return new Date(time.getTime() - hours * HOUR_MS);
}

/** Identifies the task that a call asks for. */
export function digestOf({
  title,
  description,
  dueDate = null,
  priority = null,
  after = [],
  every = null,
}: NewTask): string {
  return createHash('sha256')
    .update(JSON.stringify([title, description, dueDate, priority, after, every]))
    .digest('base64url');
}
