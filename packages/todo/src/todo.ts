import { type ChangeFeed, changeFeed } from '@deskside/core';
import { type OptionsOf, withDefaults } from '@deskside/core/program';
import { type Edition, type TodoOptions, todoOptions } from './options.ts';
import { databasePath, isPostgresUrl } from './store/database-path.ts';
import { storeClosed, StoreUnavailable, type TaskStore } from './store/task-store.ts';

/** The tasks of the reader that are due. */
export const TODAY_URI = 'todo://tasks/today';

/** One task of the reader. */
export const TASK_URI_TEMPLATE = 'todo://tasks/{id}';

const taskUri = (id: number) => TASK_URI_TEMPLATE.replace('{id}', String(id));

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
  /**
   * Tells the subscribers of tasks what changes.
   *
   * @returns a function that ends it
   */
  readonly watch: (user: string) => () => void;
}

/**
 * Opens nothing yet: the first call loads the database driver and opens the database.
 *
 * @throws an Error if `database` is a URL other than `file:` and `postgres:`
 */
export function openTodo(
  given: TodoOptions = {},
  { now = () => new Date() }: Partial<Pick<Todo, 'now'>> = {},
): Todo {
  const options = withDefaults(todoOptions, given);
  const { user, delegatedUsers, tools } = options;
  const changes = changeFeed();
  const database = databasePath(options.database);
  let store: Promise<TaskStore> | undefined;
  let isClosed = false;
  /** How many clients subscribe to a resource. The feed reaches all of them at once. */
  let subscriptions = 0;
  let endWatch: (() => void) | undefined;

  const todo: Todo = {
    user,
    delegatedUsers: new Set(delegatedUsers),
    tools,
    now,
    changes,
    watch(owner) {
      // The feed reaches every subscriber, and a URI names a task of the reader: others would learn of this user's work.
      if (owner !== user) return () => undefined;
      subscriptions += 1;
      endWatch ??= watchStore();
      return () => {
        subscriptions -= 1;
        if (subscriptions > 0) return;
        endWatch?.();
        endWatch = undefined;
      };
    },
    async store() {
      if (isClosed) throw storeClosed();
      if (database === '')
        throw new StoreUnavailable(
          'This user has no home folder: set HOME, or TODO_DATABASE_URL to the path of a file',
          { advice: 'to set HOME, or TODO_DATABASE_URL to the path of a file.' },
        );
      return (store ??= openStore({ ...options, database }, now));
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      endWatch?.();
      await (await store)?.[Symbol.asyncDispose]();
    },
  };
  return todo;

  function watchStore(): () => void {
    const watching = todo.store().then((opened) =>
      opened.watch(user, (taskId) => {
        // Nobody has subscribed to tasks that were added together: their numbers are new.
        if (taskId !== undefined) changes.updated(taskUri(taskId));
        changes.updated(TODAY_URI);
      }),
    );
    // A store that cannot be opened is reported with the first call.
    const ready = watching.catch(() => undefined);
    return () => void ready.then((end) => end?.());
  }
}

/** A server that only lists its tools starts without a database driver. */
async function openStore(
  { database, migrationUrl, connections }: OptionsOf<typeof todoOptions>,
  now: () => Date,
): Promise<TaskStore> {
  if (isPostgresUrl(database)) {
    const { postgresTaskStore } = await import('./postgres/postgres-task-store.ts');
    return postgresTaskStore({ url: database, migrationUrl, connections, now });
  }
  const { sqliteTaskStore } = await import('./sqlite/sqlite-task-store.ts');
  return sqliteTaskStore({ file: database, now });
}
