import type { TodoOptions } from './options.ts';
import { databasePath } from './store/database-path.ts';
import { StoreUnavailable, type TaskStore } from './store/task-store.ts';

/** What the tools use. Disposing of it closes the database. */
export interface Todo extends AsyncDisposable {
  /** Opens the store with the first call; rejects with StoreUnavailable after disposal. */
  readonly store: () => Promise<TaskStore>;
  /** The user who may act for the delegated users. */
  readonly user: string;
  readonly delegatedUsers: ReadonlySet<string>;
}

/**
 * Opens nothing yet: the first call loads the database driver and opens the database.
 *
 * @throws an Error if `database` is a URL other than `file:`
 */
export function openTodo({ database, user = 'owner', delegatedUsers = [], now }: TodoOptions): Todo {
  const file = databasePath(database);
  let store: Promise<TaskStore> | undefined;
  let isClosed = false;

  async function openStore(): Promise<TaskStore> {
    // A server that only lists its tools starts without the database driver.
    const { SqliteTaskStore } = await import('./sqlite/sqlite-task-store.ts');
    return new SqliteTaskStore({ file, ...(now === undefined ? {} : { now }) });
  }

  return {
    user,
    delegatedUsers: new Set(delegatedUsers),
    async store() {
      if (isClosed) throw new StoreUnavailable('The task store is closed');
      return (store ??= openStore());
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await (await store)?.[Symbol.asyncDispose]();
    },
  };
}
