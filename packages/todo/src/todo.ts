import { databasePath } from './database-path.ts';
import type { TodoOptions } from './options.ts';
import { openSqliteTaskStore } from './store/sqlite-task-store.ts';
import type { TaskStore } from './store/task-store.ts';

/** What the tools use. Disposing of it closes the database. */
export interface Todo extends AsyncDisposable {
  readonly store: TaskStore;
  /** Who may act for the delegated users. */
  readonly user: string;
  readonly delegatedUsers: ReadonlySet<string>;
}

/**
 * Opens nothing yet: the database is opened by the first call.
 *
 * @throws an Error where the database is an address other than a file's
 */
export function openTodo({ database, user = 'owner', delegatedUsers = [], now }: TodoOptions): Todo {
  const file = databasePath(database);
  const store = openSqliteTaskStore({ file, ...(now === undefined ? {} : { now }) });
  return {
    store,
    user,
    delegatedUsers: new Set(delegatedUsers),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
