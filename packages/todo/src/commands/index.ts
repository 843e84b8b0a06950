import type { Log } from '@deskside/core';
import type { Command, CommandEntry, ServerProgram } from '@deskside/core/program';
import manifest from '../../package.json' with { type: 'json' };
import { todoOptions } from '../options.ts';
import { isPostgresUrl } from '../store/database-path.ts';
import { StoreUnavailable } from '../store/task-store.ts';
import type { Todo } from '../todo.ts';

/** A command of a module that is loaded when the command is called. */
const from =
  <Name extends string>(load: () => Promise<Readonly<Record<Name, Command>>>) =>
  (name: Name, summary: string): CommandEntry => ({ summary, load: async () => (await load())[name] });

const ofChange = from(() => import('./change.ts'));
const ofList = from(() => import('./list.ts'));
const ofDatabase = from(() => import('./database.ts'));
const ofTransfer = from(() => import('./transfer.ts'));

/** For people. */
export const todoCommands: Readonly<Record<string, CommandEntry>> = {
  add: ofChange('add', 'Add a task.'),
  today: ofList('today', 'Show the tasks that are due.'),
  list: ofList('list', 'Show the tasks.'),
  search: ofList('search', 'Find tasks by their words.'),
  done: ofChange('done', 'Mark tasks as completed.'),
  show: ofChange('show', 'Show all of a task.'),
  edit: ofChange('edit', 'Change a task.'),
  reopen: ofChange('reopen', 'Mark tasks as pending again.'),
  delete: ofChange('remove', 'Delete tasks.'),
  forget: ofChange('forget', 'Delete tasks for good.'),
  restore: ofChange('restore', 'Undo the deletion of tasks.'),
  export: ofTransfer('exportTasks', 'Print all tasks as JSON or as a Markdown checklist.'),
  import: ofTransfer('importTasks', 'Add the tasks of a JSON file or a Markdown checklist.'),
  backup: ofDatabase('backup', 'Copy an SQLite database while servers use it.'),
  audit: from(() => import('./audit.ts'))('audit', 'Show the newest changes.'),
  token: {
    summary: 'Create, list, rotate or revoke tokens of users for --http.',
    load: async () => ({ commands: (await import('./token.ts')).tokenCommands }),
  },
  doctor: {
    summary: 'Check the task database without changing it.',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  migrate: ofDatabase('migrate', 'Create or migrate the tables in PostgreSQL.'),
};

/** The program `deskside-todo`. Without a command it serves MCP. */
export const todoProgram: ServerProgram<typeof todoOptions.schema.shape, Todo> = {
  name: 'deskside-todo',
  version: manifest.version,
  summary: manifest.description,
  options: todoOptions,
  open: async (options) => (await import('../todo.ts')).openTodo(options),
  definition: async (todo) => (await import('../server.ts')).todoServer(todo),
  // The first call creates a file that does not exist. A database server that does not answer is a problem now.
  started: (todo, { database }, log) => void (isPostgresUrl(database) && connectNow(todo, log)),
  user: ({ user }) => user,
  tokens: (todo) => ({
    read: async () => (await todo.store()).tokens.read(),
    noteUse: async (sha256) => (await todo.store()).tokens.noteUse?.(sha256),
  }),
  commands: todoCommands,
  examples: ['deskside-todo doctor', 'deskside-todo --database ~/work.sqlite'],
};

async function connectNow(todo: Todo, log: Log): Promise<void> {
  try {
    for (const problem of await (await todo.store()).prepare()) log.warn(problem);
    log.info('task database connected');
  } catch (error) {
    const reason = error instanceof StoreUnavailable ? { reason: error.reason } : { error };
    log.error('task database unavailable', reason);
  }
}
