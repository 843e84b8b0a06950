// What the functions of the database answer, and the forms of the store.
import { InvalidOrder, missingTasks } from '../store/claims.ts';
import { type AuditEntry, fieldsOf, toTask as toTaskOfRecord } from '../store/records.ts';
import type { AuditRow, CallCount, ClaimOutcome, NewTask, Task, TaskChanges } from '../store/task-store.ts';
import { wordsOfTask } from '../store/words.ts';

/** A row of `tasks` as JSON. */
export interface TaskRow extends Omit<Task, 'createdAt' | 'dueDate' | 'after' | 'nextId' | 'claim'> {
  readonly created_at: string;
  readonly due_date: string | null;
  readonly waits_for: readonly number[];
  readonly next_id: number | null;
  readonly claimed_by?: string | null;
  readonly claimed_until?: string | null;
}

/** Of one call of `change`. Without an outcome nothing was changed. */
export interface ChangeAnswer {
  readonly outcome?: AuditEntry['outcome'];
  readonly task?: TaskRow;
  readonly last_id?: number;
  readonly used?: { readonly digest: string; readonly taskId: number; readonly createdAt: string };
  readonly missing?: readonly number[];
  readonly loop?: boolean;
  readonly kind?: 'held' | 'completed' | 'waits' | 'none';
  readonly by?: string;
  readonly until?: string;
  readonly ids?: readonly number[];
}

/** Of `read_audit`. */
export interface AuditAnswer {
  readonly changes: readonly (Omit<AuditRow, 'user' | 'taskId'> & {
    readonly user_id: string;
    readonly task_id: number | null;
  })[];
  readonly counts: readonly CallCount[];
}

export function toTask({ created_at, due_date, waits_for, next_id, ...row }: TaskRow): Task {
  const { claimed_by: claimedBy, claimed_until: claimedUntil } = row;
  const names = { createdAt: new Date(created_at), dueDate: due_date, waitsFor: waits_for, nextId: next_id };
  return toTaskOfRecord({ ...row, ...names, claimedBy, claimedUntil });
}

export function taskOf({ outcome, task }: ChangeAnswer): Task | undefined {
  return outcome === 'ok' && task !== undefined ? toTask(task) : undefined;
}

/** A model can send any number; the column has integers. */
export function isId(id: number): boolean {
  return Number.isSafeInteger(id);
}

/** @throws InvalidOrder */
export function requireOrder({ missing, loop }: ChangeAnswer, id?: number): void {
  if (missing !== undefined) throw missingTasks(missing);
  if (loop === true) throw new InvalidOrder(`Task ${id} would wait for itself`);
}

export function toClaimOutcome(answer: ChangeAnswer): ClaimOutcome | undefined {
  const { task, kind, by = '', until, ids = [] } = answer;
  const end = until === undefined ? null : new Date(until);
  if (task !== undefined) return { kind: 'done', task: toTask(task), until: end };
  switch (kind) {
    case undefined:
      return undefined;
    case 'held':
      return { kind, by, until: end ?? new Date(0) };
    case 'waits':
      return { kind, ids };
    default:
      return { kind };
  }
}

/** The columns of a new task, and its words. */
export function columnsOf(task: NewTask, now: Date) {
  const { completed = false, createdAt = now } = task;
  const { dueDate: due_date, waitsFor: waits_for, ...others } = fieldsOf(task);
  const created_at = createdAt.toISOString();
  return { ...others, completed, created_at, due_date, waits_for, words: wordsOfTask(task) };
}

/** The columns that a change sets; undefined ones are not sent. */
export function changedColumns({ title, description, dueDate, priority, after, every }: TaskChanges) {
  return { title, description, due_date: dueDate, priority, waits_for: after, every };
}
