import { LEGS } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { connectTodo } from '../testing/connect-todo.ts';

const user_id = { type: 'string', description: "The user's unique identifier", examples: ['me'] };
const limit = {
  type: 'integer',
  description: 'Maximum number of tasks to return, newest first (max 500)',
  minimum: 1,
  default: 500,
};
const after_id = {
  type: 'integer',
  description: 'Cursor: return tasks after this id (the last id of the previous page)',
};
const taskId = (verb: string) => ({ type: 'integer', description: `The ID of the task to ${verb}` });
const changed = (status: string) => ({
  type: 'object',
  properties: {
    task_id: { type: 'integer' },
    status: { type: 'string', enum: [status] },
    title: { type: 'string' },
  },
  required: ['task_id', 'status', 'title'],
});

/** Of the specification; list_tasks has two parameters for its pages after them. */
const LISTED = [
  {
    name: 'add_task',
    description: "Create a new task for the user's todo list",
    properties: {
      user_id,
      title: {
        type: 'string',
        description: 'The task title (1-200 characters)',
        minLength: 1,
        maxLength: 200,
      },
      description: { type: 'string', description: 'Optional task description', maxLength: 1000 },
    },
    required: ['user_id', 'title'],
    output: changed('created'),
  },
  {
    name: 'list_tasks',
    description: "Retrieve tasks from the user's todo list",
    properties: {
      user_id,
      status: {
        type: 'string',
        description: 'Filter by task status',
        enum: ['all', 'pending', 'completed'],
        default: 'all',
      },
      limit,
      after_id,
    },
    required: ['user_id'],
    output: undefined,
  },
  {
    name: 'complete_task',
    description: 'Mark a task as complete',
    properties: { user_id, task_id: taskId('complete') },
    required: ['user_id', 'task_id'],
    output: changed('completed'),
  },
  {
    name: 'delete_task',
    description: "Remove a task from the user's todo list",
    properties: { user_id, task_id: taskId('delete') },
    required: ['user_id', 'task_id'],
    output: changed('deleted'),
  },
  {
    name: 'update_task',
    description: "Update a task's title or description",
    properties: {
      user_id,
      task_id: taskId('update'),
      title: { type: 'string', description: 'New task title (optional)', minLength: 1, maxLength: 200 },
      description: { type: 'string', description: 'New task description (optional)', maxLength: 1000 },
    },
    required: ['user_id', 'task_id'],
    output: changed('updated'),
  },
] as const;

test.each(LISTED)(
  '$name is listed with the description, parameters and output of the specification',
  async ({ name, description, properties, required, output }) => {
    for (const edition of ['core', 'all'] as const) {
      const tool = (await (await connectTodo(LEGS[3], { tools: edition })).listTools()).find(
        (each) => each.name === name,
      );
      expect(tool?.description).toBe(description);
      const listed = Object.entries(tool?.inputSchema.properties ?? {});
      // Ours come after those of the specification.
      const own = edition === 'core' ? listed : listed.slice(0, Object.keys(properties).length);
      expect(JSON.stringify(Object.fromEntries(own))).toBe(JSON.stringify(properties));
      expect(tool?.inputSchema.required).toStrictEqual(required);
      if (output === undefined) expect(tool).not.toHaveProperty('outputSchema');
      else expect(tool?.outputSchema).toMatchObject(output);
    }
  },
);

test('the instructions name the tool for each intent, and how to answer after a call', async () => {
  const { instructions } = await connectTodo(LEGS[3], { tools: 'core' });
  for (const [intents, tool] of [
    ['"Add a task", "I need to remember", "Create"', 'add_task'],
    ['"Show me", "What\'s pending?", "List"', 'list_tasks'],
    ['"Mark as complete", "Done with", "Finished"', 'complete_task'],
    ['"Delete", "Remove", "Cancel"', 'delete_task'],
    ['"Change", "Update", "Rename"', 'update_task'],
  ]) {
    expect(instructions).toContain(`${intents}: ${tool}.`);
  }
  expect(instructions).toMatch(/friendly sentence with the details \(title, count\).*suggest a next step/);
  expect(instructions).toContain("I've added 'Buy groceries' to your task list!");
});
