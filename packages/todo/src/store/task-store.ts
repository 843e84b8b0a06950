import type { StoredTokens } from '@deskside/core/base';
import { UserError } from '@deskside/core/errors';

export interface Task {
  readonly id: number;
  readonly title: string;
  readonly description: string | null;
  readonly completed: boolean;
  /** UTC, whole seconds: 2025-12-20T10:30:00Z */
  readonly createdAt: string;
  /** 2025-12-24 */
  readonly dueDate: string | null;
  /** Of the caller who added it. */
  readonly project: string | null;
  /** 1 is the highest, 3 the lowest. */
  readonly priority: number | null;
  /** Ids of the tasks that come first. */
  readonly after: readonly number[];
  /** How often it comes back: `week`. Null for a completed task that another one follows. */
  readonly every: string | null;
  /** The task that its completion has added. */
  readonly nextId: number | null;
  /** The last claim that was not released. It is over if its end has passed. */
  readonly claim?: TaskClaim;
}

export interface TaskClaim {
  /** The label of the holder. */
  readonly by: string;
  readonly until: Date;
}

/** Caller, owner of the tasks, and tool. A change and its audit row are one transaction; reads and refused calls are counted. */
export interface CallerContext {
  /** The authenticated principal. */
  readonly actor: string;
  /** Owner of the tasks. In a rejected call: the user that the caller claimed. */
  readonly user: string;
  readonly tool: string;
  /** Rejects the call with the signal's reason, until its work in the database starts. Not audited. */
  readonly signal?: AbortSignal;
}

export interface NewTask extends Partial<
  Pick<Task, 'completed' | 'dueDate' | 'project' | 'priority' | 'after' | 'every'>
> {
  readonly title: string;
  readonly description: string | null;
  /** Positions, in the same call, of the tasks that come first, too. */
  readonly afterAdded?: readonly number[];
  /** Of the next task of a series. */
  readonly seriesDay?: number | null;
  /** Of a task that existed elsewhere. Default: now. */
  readonly createdAt?: Date;
}

/** An absent field stays unchanged; null clears it. */
export type TaskChanges = {
  readonly [Field in 'title' | 'description' | 'dueDate' | 'priority' | 'after' | 'every']?:
    | Task[Field]
    | undefined;
};

export interface TaskQuery {
  readonly status: 'all' | 'pending' | 'completed';
  /** Page size, at least 1. The store sets no maximum. */
  readonly limit: number;
  /** Cursor: return tasks with smaller ids only. */
  readonly afterId?: number | undefined;
  /** Words from `wordsOf`, each of which a word of the title or the description starts with. */
  readonly words?: readonly string[] | undefined;
  /** Return tasks that are due on this date or earlier. */
  readonly dueBy?: string | undefined;
  /** Return tasks that can be claimed. */
  readonly ready?: boolean | undefined;
  readonly project?: string | undefined;
}

export interface TaskPage {
  /** Newest first: ids descend. */
  readonly tasks: readonly Task[];
  /** Number of matching tasks after the last one of this page. */
  readonly remaining: number;
}

/** Who claims a task. */
export interface ClaimHolder {
  /** The same for all calls of one agent. */
  readonly key: string;
  /** For people and other agents. */
  readonly label: string;
  /** Its tasks come first. */
  readonly project?: string | undefined;
}

export interface ClaimRequest {
  /** Default: the next task that is ready. */
  readonly id?: number | undefined;
  readonly holder: ClaimHolder;
  readonly leaseMs: number;
}

/** What became of a claim or a release; undefined if the user has no task with that id. */
export type ClaimOutcome =
  | { readonly kind: 'done'; readonly task: Task; readonly until: Date | null }
  | { readonly kind: 'held'; readonly by: string; readonly until: Date }
  | { readonly kind: 'completed' }
  | { readonly kind: 'waits'; readonly ids: readonly number[] }
  /** No task is ready. */
  | { readonly kind: 'none' };

/** How long a deleted task can be restored. */
export const RESTORE_DAYS = 30;

/** How long a key replays. */
export const REPLAY_DAYS = 1;

export type RejectionReason = 'user_not_found' | 'invalid' | 'no_updates' | 'task_not_found' | 'not_claimed';

/**
 * The tasks of many users. Ids are numbered per user from 1 and never reused; `undefined` means that the user
 * has no task with that id. Texts are stored unchanged: the caller validates them.
 *
 * Every method rejects with `StoreBusy` or `StoreUnavailable`, and has then changed nothing, or with `OutcomeUnknown`.
 * See docs/decisions/0043.
 */
export interface TaskStore extends AsyncDisposable {
  /** The tokens that servers of this database accept over HTTP, besides the main one. */
  readonly tokens: StoredTokens;
  /**
   * Opens the database, and creates or migrates it if necessary, before the first call does.
   *
   * @returns problems that do not prevent work, as sentences
   */
  prepare(): Promise<readonly string[]>;
  /**
   * The first task of a user also creates the user.
   *
   * @param idempotencyKey a repeated call with the same key and task adds nothing and returns the task as it was added
   * @throws IdempotencyConflict if the key was used for another task
   */
  add(caller: CallerContext, task: NewTask, idempotencyKey?: string): Promise<Task>;
  /** All of them or none. */
  addAll(caller: CallerContext, tasks: readonly NewTask[]): Promise<readonly Task[]>;
  /** Like `list`. */
  get(caller: CallerContext, id: number): Promise<Task | undefined>;
  /** Needs no write lock. It is counted after the answer. */
  list(caller: CallerContext, query: TaskQuery): Promise<TaskPage>;
  /** Completing a completed task succeeds. Completing a recurring one adds the next task, which takes its `every` over. */
  complete(caller: CallerContext, id: number): Promise<Task | undefined>;
  /** Reopening a pending task succeeds. A task that its completion has added stays. */
  reopen(caller: CallerContext, id: number): Promise<Task | undefined>;
  /** Resolves with the task before its removal, which can be restored for `RESTORE_DAYS`. */
  remove(caller: CallerContext, id: number): Promise<Task | undefined>;
  /** Removes a task, also one that was removed before, so that nothing restores it. */
  removeForGood(caller: CallerContext, id: number): Promise<Task | undefined>;
  /** Restoring a task that was not removed succeeds. */
  restore(caller: CallerContext, id: number): Promise<Task | undefined>;
  update(caller: CallerContext, id: number, changes: TaskChanges): Promise<Task | undefined>;
  /**
   * Claims a task for a time on the clock of the database: of all callers at the same time one gets it. The holder can
   * renew the claim. Completing the task ends it.
   */
  claim(caller: CallerContext, request: ClaimRequest): Promise<ClaimOutcome | undefined>;
  /** Ends a claim of the holder. Releasing a task that nobody holds succeeds. */
  release(caller: CallerContext, id: number, holder: ClaimHolder): Promise<ClaimOutcome | undefined>;
  /** What the audit says about the caller's user. Not audited. */
  readAudit(caller: CallerContext, limit: number): Promise<Audit>;
  /** Counts a call that was rejected before it reached a task. */
  recordRejection(caller: CallerContext, reason: RejectionReason): void;
  /**
   * Watches the tasks of a user, whichever process changes them.
   *
   * @param changed the id is undefined if several tasks were added
   * @returns a function that ends it
   */
  watch(user: string, changed: (taskId?: number) => void): () => void;
}

export interface Audit {
  /** Newest first. */
  readonly changes: readonly AuditRow[];
  /** Newest day first. */
  readonly counts: readonly CallCount[];
}

/** How often a caller has read, or was refused, on a day. */
export interface CallCount {
  readonly actor: string;
  /** Days since 1970-01-01 in UTC. */
  readonly day: number;
  readonly tool: string;
  readonly outcome: string;
  readonly calls: number;
}

/** One change in the audit. */
export interface AuditRow {
  /** UTC, whole seconds. */
  readonly at: string;
  readonly actor: string;
  readonly user: string;
  readonly tool: string;
  readonly outcome: string;
  readonly taskId: number | null;
  /** Names of the fields that the call set, joined by commas. */
  readonly changed: string | null;
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

/** Advice of a StoreUnavailable. */
export const DISK_IS_FULL = 'that the disk with the task database is full.';

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

export const storeClosed = () => new StoreUnavailable('The task store is closed');

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

/** The same key with another task: the caller has reused a key by mistake. */
export class IdempotencyConflict extends UserError {
  override readonly name = 'IdempotencyConflict';

  constructor() {
    super({
      error: 'This idempotency_key was used for another task',
      code: 'INVALID_ARGUMENT',
      hint: 'Use a new key for each new task. Repeat a key only with the same title, description, due_date, priority, after and every.',
    });
  }
}

/** Tasks that can't come first. */
export class InvalidOrder extends UserError {
  override readonly name = 'InvalidOrder';

  constructor(error: string) {
    const hint = 'Pass in after the ids of existing tasks that do not wait for this task.';
    super({ error, code: 'INVALID_ARGUMENT', hint });
  }
}
