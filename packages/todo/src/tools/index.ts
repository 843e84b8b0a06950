import type { Tool } from '@deskside/core';
import type { Todo } from '../todo.ts';
import { addTask } from './add-task.ts';
import { completeTask } from './complete-task.ts';
import { deleteTask } from './delete-task.ts';
import { listTasks } from './list-tasks.ts';
import { updateTask } from './update-task.ts';

export const todoTools: readonly Tool<Todo>[] = [addTask, completeTask, deleteTask, listTasks, updateTask];
