import { type ChangeFeed, changeFeed } from '@deskside/core';
import { type OptionsOf, withDefaults } from '@deskside/core/program';
import { type Edition, type TodoOptions, todoOptions } from './options.ts';
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
  /**
   * Tells the subscribers of a resource what other processes change.
   *
   * @returns a function that ends it
   */
  readonly watch: (uri: string, user: string) => () => void;
}

/** What only programs choose that use todo as a library. */
interface TodoSurroundings {
  /** Default: the clock of this machine. */
  readonly now?: () => Date;
}

/**
 * Opens nothing yet: the first call loads the database driver and opens the database.
 *
 * @throws an Error if `database` is a URL other than `file:` and `postgres:`
 */
export function openTodo(given: TodoOptions = {}, { now = () => new Date() }: TodoSurroundings = {}): Todo {
  const options = withDefaults(todoOptions, given);
  const { user, delegatedUsers, tools } = options;
  const changes = changeFeed();
  const database = databasePath(options.database);
  let store: Promise<TaskStore> | undefined;
  let isClosed = false;
  /** The resources that are watched, with the number of their clients: the feed reaches all of them at once. */
  const watched = new Map<string, number>();
  let endWatch: (() => void) | undefined;

  const todo: Todo = {
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
    watch(uri, owner) {
      if (owner !== user) return () => undefined;
      endWatch ??= watchStore();
      watched.set(uri, (watched.get(uri) ?? 0) + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const others = (watched.get(uri) ?? 1) - 1;
        if (others > 0) watched.set(uri, others);
        else watched.delete(uri);
        if (watched.size > 0) return;
        endWatch?.();
        endWatch = undefined;
      };
    },
    async store() {
      if (isClosed) throw new StoreUnavailable('The task store is closed');
      if (database === '')
        throw new StoreUnavailable(
          'This user has no home folder: set HOME, or TODO_DATABASE_URL to the path of a file',
          { advice: SET_DATABASE },
        );
      return (store ??= openStore({ ...options, database }, now));
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await (await store)?.[Symbol.asyncDispose]();
    },
  };
  return todo;

  function watchStore(): () => void {
    const watching = todo.store().then((opened) =>
      opened.watch(user, (taskId) => {
        for (const uri of watched.keys()) {
          if (taskId === undefined || uri === TODAY_URI || uri === taskUri(taskId)) changes.updated(uri);
        }
      }),
    );
    // A store that cannot be opened is reported with the first call.
    const ready = watching.catch(() => undefined);
    return () => void ready.then((end) => end?.());
  }
}

const SET_DATABASE = 'to set HOME, or TODO_DATABASE_URL to the path of a file.';

/** A server that only lists its tools starts without a database driver. */
async function openStore(
  { database, migrationUrl, connections }: OptionsOf<typeof todoOptions>,
  now: () => Date,
): Promise<TaskStore> {
  if (isPostgresUrl(database)) {
    const { PostgresTaskStore } = await import('./postgres/postgres-task-store.ts');
    return new PostgresTaskStore({ url: database, migrationUrl, connections, now });
  }
  const { SqliteTaskStore } = await import('./sqlite/sqlite-task-store.ts');
  return new SqliteTaskStore({ file: database, now });
}
