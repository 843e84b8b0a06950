export interface Task {
  readonly id: number;
  readonly title: string;
  readonly description: string | null;
  readonly completed: boolean;
  /** UTC, whole seconds: 2025-12-20T10:30:00Z */
  readonly createdAt: string;
}

/** Who calls what: every store method writes one audit row for it, in the same transaction as the change. */
export interface Call {
  /** The authenticated principal. */
  readonly actor: string;
  /** Whose tasks. In a refused call this is whatever the caller claimed. */
  readonly user: string;
  readonly tool: string;
}

export interface NewTask {
  readonly title: string;
  readonly description: string | null;
}

/** A field that is absent stays as it is; a null description clears it. */
export interface TaskChanges {
  readonly title?: string;
  readonly description?: string | null;
}

export interface TaskQuery {
  readonly status: 'all' | 'pending' | 'completed';
  /** At least 1; the caller caps it. */
  readonly limit: number;
  /** Go on below this id. */
  readonly afterId?: number;
}

export interface TaskPage {
  /** Newest first: ids descend. */
  readonly tasks: readonly Task[];
  /** How many more follow the last task of this page. */
  readonly remaining: number;
}

export type Refusal = 'user_not_found' | 'invalid' | 'no_updates' | 'task_not_found';

/**
 * The tasks of many users. Ids are numbered per user from 1 and never used twice; `undefined` means that the
 * user has no such task. Texts are kept as given: the caller checks them.
 *
 * Every method rejects with `StoreBusy` or `StoreUnavailable`, and has then changed nothing.
 */
export interface TaskStore extends AsyncDisposable {
  /** Adds the user as well, if this is the first task. */
  add(call: Call, task: NewTask): Promise<Task>;
  list(call: Call, query: TaskQuery): Promise<TaskPage>;
  /** Completing a task twice is a success. */
  complete(call: Call, id: number): Promise<Task | undefined>;
  /** Answers the task as it was. */
  remove(call: Call, id: number): Promise<Task | undefined>;
  update(call: Call, id: number, changes: TaskChanges): Promise<Task | undefined>;
  /** Writes the audit row of a call refused before it reached a task. */
  refuse(call: Call, outcome: Refusal, taskId?: number): Promise<void>;
}
