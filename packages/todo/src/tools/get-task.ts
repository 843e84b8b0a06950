import * as z from 'zod';
import { readTaskId } from '../validation/arguments.ts';
import { defineExtraTool, requireTask } from './define-tool.ts';
import { taskId, toWholeTask, userId, wholeTask } from './schemas.ts';

export const getTask = defineExtraTool({
  name: 'get_task',
  title: 'Get task',
  description: 'Retrieve one task with all that is set, such as due date, priority and project.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z
    .object({ user_id: userId, task_id: taskId('retrieve') })
    .meta({ required: ['user_id', 'task_id'] }),
  output: wholeTask,

  async run(args, { store, caller }) {
    const id = readTaskId(args.task_id);
    return toWholeTask(requireTask(await (await store()).get(caller, id), id));
  },
});
