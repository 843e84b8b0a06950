import type { TodoOptions } from './options.ts';
import { databasePath, isPostgresUrl } from './store/database-path.ts';
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
 * @throws an Error if `database` is a URL other than `file:` and `postgres:`
 */
export function openTodo(options: TodoOptions): Todo {
  const { user = 'owner', delegatedUsers = [] } = options;
  const database = databasePath(options.database);
  let store: Promise<TaskStore> | undefined;
  let isClosed = false;

  return {
    user,
    delegatedUsers: new Set(delegatedUsers),
    async store() {
      if (isClosed) throw new StoreUnavailable('The task store is closed');
      return (store ??= openStore({ ...options, database }));
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await (await store)?.[Symbol.asyncDispose]();
    },
  };
}

/** A server that only lists its tools starts without a database driver. */
async function openStore({ database, migrationUrl, now }: TodoOptions): Promise<TaskStore> {
  const clock = now === undefined ? {} : { now };
  if (isPostgresUrl(database)) {
    const { PostgresTaskStore } = await import('./postgres/postgres-task-store.ts');
    return new PostgresTaskStore({ url: database, migrationUrl, ...clock });
  }
  const { SqliteTaskStore } = await import('./sqlite/sqlite-task-store.ts');
  return new SqliteTaskStore({ file: database, ...clock });
}
