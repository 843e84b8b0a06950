// What both stores read and write in the same form: tasks, audit rows, times and digests.
import { createHash } from 'node:crypto';
import type { NewTask, RejectionReason, Task, TaskChanges } from './task-store.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A task as both databases return it. A deleted or new one has no claim. */
interface TaskRecord extends Omit<Task, 'createdAt' | 'claim'> {
  readonly createdAt: Date;
  readonly seriesDay: number | null;
  readonly claimedBy?: string | null;
  readonly claimedUntil?: number | null;
}

export function toTask({ claimedBy, claimedUntil, seriesDay, ...record }: TaskRecord): Task {
  const { id, title, description, completed, dueDate, project, priority, after, nextId } = record;
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

/** What became of a call, besides a failure. */
export type Outcome = 'ok' | RejectionReason;

/** The columns of a task that a call sets. */
export function fieldsOf(task: NewTask) {
  const {
    title,
    description,
    dueDate = null,
    project = null,
    priority = null,
    after = [],
    every = null,
  } = task;
  const { seriesDay = null, completed = false } = task;
  return { title, description, dueDate, project, priority, after, every, seriesDay, completed };
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
