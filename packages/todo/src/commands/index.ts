import type { ServerProgram } from '@deskside/core/cli';
import manifest from '../../package.json' with { type: 'json' };
import { todoOptions } from '../options.ts';
import { todoServer } from '../server.ts';
import { openTodo, type Todo } from '../todo.ts';

/** The program `deskside-todo`. Without a command it serves MCP. */
export const todoProgram: ServerProgram<typeof todoOptions.schema.shape, Todo> = {
  name: 'deskside-todo',
  version: manifest.version,
  summary: manifest.description,
  options: todoOptions,
  open: openTodo,
  definition: todoServer,
  user: ({ user }) => user,
  commands: {
    doctor: {
      summary: 'Check the task database without changing it.',
      load: async () => (await import('./doctor.ts')).doctor,
    },
  },
  examples: ['deskside-todo doctor', 'deskside-todo --database ~/work.sqlite'],
};
