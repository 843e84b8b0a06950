import { type ChangeFeed, changeFeed } from '@deskside/core';
import type { Edition, TodoOptions } from './options.ts';
import { taskUri, TODAY_URI } from './store/task-uri.ts';
import { databasePath, isPostgresUrl } from './store/database-path.ts';
import { StoreUnavailable, type TaskStore } from './store/task-store.ts';

/** What the tools use. Disposing of it closes the database. */
export interface Todo extends AsyncDisposable {
  /** Opens the store with the first call; rejects with StoreUnavailable after disposal. */
  readonly store: () => Promise<TaskStore>;
  /** The user who may act for the delegated users. */
  readonly user: string;
  readonly delegatedUsers: ReadonlySet<string>;
  readonly tools: Edition;
  readonly now: () => Date;
  readonly changes: ChangeFeed;
  /** Tells subscribers that a task of a user has changed. */
  readonly changed: (user: string, taskId: number) => void;
}

/**
 * Opens nothing yet: the first call loads the database driver and opens the database.
 *
 * @throws an Error if `database` is a URL other than `file:` and `postgres:`
 */
export function openTodo(options: TodoOptions): Todo {
  const { user = 'owner', delegatedUsers = [], tools = 'core', now = () => new Date() } = options;
  const changes = changeFeed();
  const database = databasePath(options.database);
  let store: Promise<TaskStore> | undefined;
  let isClosed = false;

  return {
    user,
    delegatedUsers: new Set(delegatedUsers),
    tools,
    now,
    changes,
    changed(owner, taskId) {
      // The feed reaches every subscriber, and a URI names a task of the reader: others would learn of this user's work.
      if (owner !== user) return;
      changes.updated(taskUri(taskId));
      changes.updated(TODAY_URI);
    },
    async store() {
      if (isClosed) throw new StoreUnavailable('The task store is closed');
      if (database === '')
        throw new StoreUnavailable('This user has no home folder', { advice: SET_DATABASE });
      return (store ??= openStore({ ...options, database }));
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await (await store)?.[Symbol.asyncDispose]();
    },
  };
}

const SET_DATABASE = 'to set HOME, or TODO_DATABASE_URL to the path of a file.';

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
