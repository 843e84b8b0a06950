import { UserError } from '@deskside/core/errors';
import { firstCodePoints } from '@deskside/core/text';

export interface Task {
  readonly id: number;
  readonly title: string;
  readonly description: string | null;
  readonly completed: boolean;
  /** UTC, whole seconds: 2025-12-20T10:30:00Z */
  readonly createdAt: string;
}

/** Caller, owner of the tasks, and tool. Every store method writes them to the audit, and a change with its row. */
export interface CallerContext {
  /** The authenticated principal. */
  readonly actor: string;
  /** Owner of the tasks. In a rejected call: the user that the caller claimed. */
  readonly user: string;
  readonly tool: string;
  /** Rejects the call with the signal's reason, until its work in the database starts. Not audited. */
  readonly signal?: AbortSignal;
}

export interface NewTask {
  readonly title: string;
  readonly description: string | null;
}

/** An absent field stays unchanged; a null description clears it. */
export interface TaskChanges {
  readonly title?: string;
  readonly description?: string | null;
}

export interface TaskQuery {
  readonly status: 'all' | 'pending' | 'completed';
  /** Page size, at least 1. The store sets no maximum. */
  readonly limit: number;
  /** Cursor: return tasks with smaller ids only. */
  readonly afterId?: number;
}

export interface TaskPage {
  /** Newest first: ids descend. */
  readonly tasks: readonly Task[];
  /** Number of matching tasks after the last one of this page. */
  readonly remaining: number;
}

export const MAX_REFUSALS_PER_DAY = 1000;

/** Limit of the audit for a user id that a rejected caller claimed. */
const MAX_CLAIMED_USER_CODE_POINTS = 100;

const DAY_MS = 86_400_000;

export type RejectionReason = 'user_not_found' | 'invalid' | 'no_updates' | 'task_not_found';

/**
 * The tasks of many users. Ids are numbered per user from 1 and never reused; `undefined` means that the user
 * has no task with that id. Texts are stored unchanged: the caller validates them.
 *
 * Every method rejects with `StoreBusy` or `StoreUnavailable`, and has then changed nothing, or with `OutcomeUnknown`.
 */
export interface TaskStore extends AsyncDisposable {
  /**
   * Opens the database, and creates or migrates it if necessary, before the first call does.
   *
   * @returns problems that do not prevent work, as sentences
   */
  prepare(): Promise<readonly string[]>;
  /** The first task of a user also creates the user. */
  add(caller: CallerContext, task: NewTask): Promise<Task>;
  /** Needs no write lock. Its audit row is written after the answer, and is lost if it can't be written. */
  list(caller: CallerContext, query: TaskQuery): Promise<TaskPage>;
  /** Completing a completed task succeeds. */
  complete(caller: CallerContext, id: number): Promise<Task | undefined>;
  /** Resolves with the task before its removal. */
  remove(caller: CallerContext, id: number): Promise<Task | undefined>;
  update(caller: CallerContext, id: number, changes: TaskChanges): Promise<Task | undefined>;
  /**
   * Writes the audit row of a call that was rejected before it reached a task. Rows of refused calls, also of calls
   * for tasks that don't exist, are limited to `MAX_REFUSALS_PER_DAY` per actor and day in UTC; more are not written.
   */
  recordRejection(caller: CallerContext, reason: RejectionReason, taskId?: number): Promise<void>;
}

/** How many tasks a user has. */
export interface UserTasks {
  readonly id: string;
  readonly pending: number;
  readonly completed: number;
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

/** The caller of a rejected call, with as much of the claimed user as the audit stores. */
export function claimedCaller(caller: CallerContext): CallerContext {
  return { ...caller, user: firstCodePoints(caller.user, MAX_CLAIMED_USER_CODE_POINTS) };
}

export function changedFields({ title, description }: TaskChanges): readonly string[] {
  return Object.entries({ title, description }).flatMap(([field, value]) =>
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

/** Other connections held the lock longer than a call waits. The same call may succeed later. */
export class StoreBusy extends UserError {
  override readonly name = 'StoreBusy';

  constructor(options?: ErrorOptions) {
    const hint = 'Nothing was changed. Retry the same call in a few seconds.';
    super({ error: 'The task database is busy', code: 'BUSY', hint }, options);
  }
}

const SEE_LOG = "that the todo server's log gives the reason.";

/** The database can't be opened or used. */
export class StoreUnavailable extends UserError {
  override readonly name = 'StoreUnavailable';
  /** For the log and for people, not for a model: it contains paths. */
  readonly reason: string;

  /** @param options.advice what the person should do */
  constructor(reason: string, { advice = SEE_LOG, ...options }: ErrorOptions & { advice?: string } = {}) {
    const hint = `Nothing was changed. Tell the person ${advice}`;
    super({ error: 'The task database cannot be used', code: 'UNAVAILABLE', hint }, options);
    this.reason = reason;
  }
}

/** The connection to the database broke while it confirmed a change: the change was made completely, or not at all. */
export class OutcomeUnknown extends UserError {
  override readonly name = 'OutcomeUnknown';

  constructor(options?: ErrorOptions) {
    super(
      {
        error: 'The connection to the task database broke before it confirmed the change',
        code: 'UNAVAILABLE',
        hint: (toolName) =>
          `The change was made completely or not at all. Call ${toolName('list_tasks')} to see which, before you repeat it.`,
      },
      options,
    );
  }
}
