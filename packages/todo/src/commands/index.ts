import type { Log } from '@deskside/core';
import type { ServerProgram } from '@deskside/core/cli';
import manifest from '../../package.json' with { type: 'json' };
import { type TodoOptions, todoOptions } from '../options.ts';
import { todoServer } from '../server.ts';
import { isPostgresUrl } from '../store/database-path.ts';
import { StoreUnavailable } from '../store/task-store.ts';
import { openTodo, type Todo } from '../todo.ts';

/** The program `deskside-todo`. Without a command it serves MCP. */
export const todoProgram: ServerProgram<typeof todoOptions.schema.shape, Todo> = {
  name: 'deskside-todo',
  version: manifest.version,
  summary: manifest.description,
  options: todoOptions,
  open: openTodo,
  definition: todoServer,
  started: reportDatabase,
  user: ({ user }) => user,
  commands: {
    doctor: {
      summary: 'Check the task database without changing it.',
      load: async () => (await import('./doctor.ts')).doctor,
    },
    migrate: {
      summary: 'Create or migrate the tables in PostgreSQL.',
      load: async () => (await import('./migrate.ts')).migrate,
    },
  },
  examples: ['deskside-todo doctor', 'deskside-todo --database ~/work.sqlite'],
};

/** The first call creates a file that does not exist. A database server that does not answer is a problem now. */
function reportDatabase(todo: Todo, { database }: TodoOptions, log: Log): void {
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
