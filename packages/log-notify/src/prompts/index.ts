import { type Prompt, promptDefiner, type ToolName } from '@deskside/core';
import * as z from 'zod';
import type { LogNotify } from '../log-notify.ts';

const workflowTemplate = `Work on this task: {{ task }}

Keep the person informed while you work. When you reach a step in square brackets, make that call. Replace the text in it with what you actually found.

1. Look at the present state.
2. {{ notify "What you found and what you will do about it", context: "analysis" }}
3. Order the changes by impact.
4. {{ notify "Starting with highest-impact changes first", context: "workflow" }}
5. Make the changes one by one. Before a step that is hard to undo:
   {{ notify "What you are about to do and what to back up first", level: "warn", context: "safety" }}
6. {{ notify "What is done, with counts, and what needs the person's attention", context: "workflow" }}
`;

const refactoringTemplate = `Refactor this: {{ target }}
{% if complexity > 5 %}
{{ notify "Complex refactoring detected - breaking into smaller steps for safety" }}
Work in steps so small that the tests pass after each one. After each step, say what changed.
{% else %}
Work in one step. The tests must pass before and after it.
{% endif %}
If you find something that needs a separate change, do not change it:
{{ notify "What you found and where", context: "discovery" }}
`;

const COMPLEXITY_ERROR = 'use a number from 1 to 10';

const definePrompt = promptDefiner<LogNotify>();

const workflow = definePrompt({
  name: 'workflow',
  title: 'Work and keep me informed',
  description: 'Work on a task in steps and send notifications along the way',
  arguments: z.object({ task: z.string().min(1).describe('The task') }),
  run: ({ task }, _logNotify, { toolName }) => renderPrompt(workflowTemplate, { task }, toolName),
});

const refactoring = definePrompt({
  name: 'refactoring',
  title: 'Refactor and keep me informed',
  description: 'Refactor code in steps that fit its complexity and send notifications along the way',
  arguments: z.object({
    target: z.string().min(1).describe('The code to refactor'),
    complexity: z.coerce
      .number({ error: COMPLEXITY_ERROR })
      .min(1, { error: COMPLEXITY_ERROR })
      .max(10, { error: COMPLEXITY_ERROR })
      .default(3)
      .describe('Complexity from 1 to 10 (default: 3). Above 5, the work is split into small steps'),
  }),
  run: (values, _logNotify, { toolName }) => renderPrompt(refactoringTemplate, values, toolName),
});

export const logNotifyPrompts: readonly Prompt<LogNotify>[] = [refactoring, workflow];

/** Renders a template to text that instructs the model to call the tool. Sends no notification. */
async function renderPrompt(
  template: string,
  values: Readonly<Record<string, unknown>>,
  toolName: ToolName,
): Promise<string> {
  const { instruct, NotifyLiquid } = await import('../liquid/notify-liquid.ts');
  const liquid = new NotifyLiquid(instruct(toolName('notify')));
  return String(await liquid.parseAndRender(template, { ...values }));
}
