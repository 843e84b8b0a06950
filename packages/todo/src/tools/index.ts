import type { Tool } from '@deskside/core';
import type { Edition } from '../options.ts';
import type { Todo } from '../todo.ts';
import { addTask } from './add-task.ts';
import { claimTask, releaseTask } from './claim-task.ts';
import type { TodoTool } from './define-tool.ts';
import { listTasks } from './list-tasks.ts';
import { completeTask, deleteTask, getTask, reopenTask, restoreTask } from './one-task.ts';
import { updateTask } from './update-task.ts';

/** The tools of the contract, or those and all others. */
export function todoTools(edition: Edition): readonly Tool<Todo>[] {
  return TOOLS.flatMap((tool) => tool[edition] ?? []);
}

/** In the order of the contract; what it does not have comes after it. */
const TOOLS: readonly TodoTool[] = [
  addTask,
  listTasks,
  completeTask,
  deleteTask,
  updateTask,
  getTask,
  claimTask,
  releaseTask,
  reopenTask,
  restoreTask,
];
