import { resolve } from 'node:path';
import { BusyRetry } from './busy-retry.ts';
import { withStoreUnavailable } from './sqlite-errors.ts';
import type { SqliteTasks } from './sqlite-tasks.ts';
import { StoreUnavailable } from './store-failures.ts';
import type {
  Call,
  NewTask,
  Refusal,
  Task,
  TaskChanges,
  TaskPage,
  TaskQuery,
  TaskStore,
} from './task-store.ts';

export interface SqliteTaskStoreOptions {
  /** A path, or `:memory:`. The file and its folder are created with the first call. */
  readonly file: string;
  readonly now?: () => Date;
  /** Milliseconds that a call waits for the lock before StoreBusy; above 0, 5000 if not given. */
  readonly busyTimeoutMs?: number;
}

/**
 * Answers at once: the database is opened, created or migrated by the first call, and again after a failure.
 */
export function openSqliteTaskStore(options: SqliteTaskStoreOptions): TaskStore {
  return new SqliteTaskStore(options);
}

class SqliteTaskStore implements TaskStore {
  readonly #file: string;
  readonly #now: () => Date;
  readonly #closing = new AbortController();
  readonly #retry: BusyRetry;
  #tasks: SqliteTasks | undefined;

  constructor({ file, now = () => new Date(), busyTimeoutMs = 5000 }: SqliteTaskStoreOptions) {
    this.#file = file === ':memory:' ? file : resolve(file);
    this.#now = now;
    this.#retry = new BusyRetry(busyTimeoutMs, this.#closing.signal);
  }

  add(call: Call, task: NewTask): Promise<Task> {
    return this.#run((tasks) => tasks.add(call, task));
  }

  list(call: Call, query: TaskQuery): Promise<TaskPage> {
    return this.#run((tasks) => tasks.list(call, query));
  }

  complete(call: Call, id: number): Promise<Task | undefined> {
    return this.#run((tasks) => tasks.complete(call, id));
  }

  remove(call: Call, id: number): Promise<Task | undefined> {
    return this.#run((tasks) => tasks.remove(call, id));
  }

  update(call: Call, id: number, changes: TaskChanges): Promise<Task | undefined> {
    return this.#run((tasks) => tasks.update(call, id, changes));
  }

  refuse(call: Call, outcome: Refusal, taskId?: number): Promise<void> {
    return this.#run((tasks) => tasks.refuse(call, outcome, taskId));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new StoreUnavailable('The task store is closed'));
    this.#tasks?.close();
  }

  async #run<T>(work: (tasks: SqliteTasks) => T): Promise<T> {
    try {
      this.#closing.signal.throwIfAborted();
      const { openTasks } = await import('./sqlite-engine.ts');
      // Opening is part of the work, so it waits for locks as any call does, within the same time.
      return await this.#retry.run(() => work((this.#tasks ??= openTasks(this.#file, this.#now))));
    } catch (error) {
      throw withStoreUnavailable(error);
    }
  }
}
