import type { Log } from '@deskside/core';
import type { CommandEntry, ServerProgram } from '@deskside/core/cli';
import manifest from '../../package.json' with { type: 'json' };
import { todoOptions } from '../options.ts';
import { isPostgresUrl } from '../store/database-path.ts';
import { StoreUnavailable } from '../store/task-store.ts';
import type { Todo } from '../todo.ts';

/** For people. Each command's module is loaded when it is called. */
export const todoCommands: Readonly<Record<string, CommandEntry>> = {
  add: { summary: 'Add a task.', load: async () => (await import('./change.ts')).add },
  today: { summary: 'Show the tasks that are due.', load: async () => (await import('./list.ts')).today },
  list: { summary: 'Show the tasks.', load: async () => (await import('./list.ts')).list },
  search: { summary: 'Find tasks by their words.', load: async () => (await import('./list.ts')).search },
  done: { summary: 'Mark tasks as completed.', load: async () => (await import('./change.ts')).done },
  show: { summary: 'Show all of a task.', load: async () => (await import('./change.ts')).show },
  edit: { summary: 'Change a task.', load: async () => (await import('./change.ts')).edit },
  reopen: {
    summary: 'Mark tasks as pending again.',
    load: async () => (await import('./change.ts')).reopen,
  },
  delete: { summary: 'Delete tasks.', load: async () => (await import('./change.ts')).remove },
  forget: { summary: 'Delete tasks for good.', load: async () => (await import('./change.ts')).forget },
  restore: {
    summary: 'Undo the deletion of tasks.',
    load: async () => (await import('./change.ts')).restore,
  },
  export: {
    summary: 'Print all tasks as JSON or as a Markdown checklist.',
    load: async () => (await import('./transfer.ts')).exportTasks,
  },
  import: {
    summary: 'Add the tasks of a JSON file or a Markdown checklist.',
    load: async () => (await import('./transfer.ts')).importTasks,
  },
  backup: {
    summary: 'Copy an SQLite database while servers use it.',
    load: async () => (await import('./backup.ts')).backup,
  },
  audit: { summary: 'Show the newest calls.', load: async () => (await import('./audit.ts')).audit },
  token: {
    summary: 'Create, list, rotate or revoke tokens of users for --http.',
    load: async () => ({ commands: (await import('./token.ts')).tokenCommands }),
  },
  doctor: {
    summary: 'Check the task database without changing it.',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  migrate: {
    summary: 'Create or migrate the tables in PostgreSQL.',
    load: async () => (await import('./migrate.ts')).migrate,
  },
};

/** The program `deskside-todo`. Without a command it serves MCP. */
export const todoProgram: ServerProgram<typeof todoOptions.schema.shape, Todo> = {
  name: 'deskside-todo',
  version: manifest.version,
  summary: manifest.description,
  options: todoOptions,
  open: async (options) => (await import('../todo.ts')).openTodo(options),
  definition: async (todo) => (await import('../server.ts')).todoServer(todo),
  started: reportDatabase,
  user: ({ user }) => user,
  tokens: (todo) => ({
    read: async () => (await todo.store()).tokens.read(),
    noteUse: async (sha256) => (await todo.store()).tokens.noteUse?.(sha256),
  }),
  commands: todoCommands,
  examples: ['deskside-todo doctor', 'deskside-todo --database ~/work.sqlite'],
};

/** The first call creates a file that does not exist. A database server that does not answer is a problem now. */
function reportDatabase(todo: Todo, { database }: { readonly database: string }, log: Log): void {
  if (isPostgresUrl(database)) void connectNow(todo, log);
}

async function connectNow(todo: Todo, log: Log): Promise<void> {
  try {
    for (const problem of await (await todo.store()).prepare()) log.warn(problem);
    log.info('task database connected');
  } catch (error) {
    const reason = error instanceof StoreUnavailable ? { reason: error.reason } : { error };
    log.error('task database unavailable', reason);
  }
}
