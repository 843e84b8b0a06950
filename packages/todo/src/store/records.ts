// What both stores read and write in the same form: tasks, audit rows, times and digests.
import { createHash } from 'node:crypto';
import type { tasks } from './schema.ts';
import type { NewTask, RejectionReason, Task } from './task-store.ts';

export const DAY_MS = 86_400_000;

/** What a new task has if nothing else is given. */
export const NEW_TASK = {
  completed: false,
  dueDate: null,
  project: null,
  priority: null,
  after: [],
  every: null,
  seriesDay: null,
  nextId: null,
};

type Row = typeof tasks.$inferSelect;
type NotNew = 'userId' | 'claimedBy' | 'claimKey' | 'claimedUntil' | 'deletedAt';

/** @param row of a new task without a claim */
export function toTask(row: Omit<Row, NotNew> & Partial<Row>): Task {
  const { id, title, description, completed, dueDate, project, priority, after, nextId } = row;
  const { createdAt, every, seriesDay, claimedBy, claimedUntil } = row;
  const same = { id, title, description, completed, dueDate, project, priority, after, nextId };
  return {
    ...same,
    createdAt: toTimestamp(createdAt),
    every: every !== null && seriesDay !== null ? `${every} on ${seriesDay}` : every,
    ...(typeof claimedBy === 'string'
      ? { claim: { by: claimedBy, until: new Date(claimedUntil ?? 0) } }
      : {}),
  };
}

/** What became of a call, besides a failure. */
export type Outcome = 'ok' | RejectionReason;

/** The fields that a call sets. */
export function givenIn<Fields extends object>(fields: Fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same fields without those that are undefined
  return Object.fromEntries(given) as { [Field in keyof Fields]?: Exclude<Fields[Field], undefined> };
}

/** Cuts off the fraction of a second. */
export function toTimestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

export function daysBefore(time: Date, days: number): Date {
  return new Date(time.getTime() - days * DAY_MS);
}

/** Identifies the task that a call asks for. */
export function digestOf(task: NewTask): string {
  const { title, description, dueDate, priority, after, every } = { ...NEW_TASK, ...task };
  const given = JSON.stringify([title, description, dueDate, priority, after, every]);
  return createHash('sha256').update(given).digest('base64url');
}
