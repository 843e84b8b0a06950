import { type ToolName, UserError } from '@deskside/core/errors';
import * as z from 'zod';
import { toTimestamp } from '../store/records.ts';
import type { ClaimOutcome } from '../store/task-store.ts';
import * as fields from '../validation/fields.ts';
import { taskNotFound } from '../validation/rejected-call.ts';
import { defineExtraTool } from './define-tool.ts';
import { oneTask } from './one-task.ts';
import { changedTask, taskDetails, taskId, toChangedTask, toWholeTask, userId } from './schemas.ts';

export const claimTask = defineExtraTool({
  name: 'claim_task',
  title: 'Claim task',
  description:
    'Take a task before you start, so that no other agent works on it. Without task_id: the next ready one, of your project first, by priority and due date. Claim it again to extend the claim. Completing the task ends the claim.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z
    .object({
      user_id: userId,
      task_id: taskId('claim'),
      lease_minutes: fields.lease.meta({
        type: 'integer',
        description: `How long the claim lasts (max ${fields.MAX_LEASE_MINUTES})`,
        minimum: 1,
        default: fields.DEFAULT_LEASE_MINUTES,
      }),
    })
    .meta({ required: ['user_id'] }),
  output: changedTask('claimed').extend({
    description: z.string().nullable(),
    claimed_until: z.string().meta({ format: 'date-time' }),
    ...taskDetails.shape,
  }),

  async run(args, { store, caller, agent }) {
    const { task_id: given, lease_minutes: leaseMs } = args;
    const id = given === undefined || given === null ? undefined : fields.readTaskId(given);
    const outcome = await (await store()).claim(caller, { id, holder: agent, leaseMs });
    const { task, until } = requireDone(outcome, id);
    return {
      ...toWholeTask(task),
      ...toChangedTask(task, 'claimed'),
      claimed_until: toTimestamp(until ?? new Date(0)),
    };
  },
});

export const releaseTask = defineExtraTool({
  name: 'release_task',
  title: 'Release task',
  description: 'End your claim of a task, so that another agent can take it.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: oneTask('release'),
  output: changedTask('released'),

  async run(args, { store, caller, agent }) {
    const id = fields.readTaskId(args.task_id);
    const { task } = requireDone(await (await store()).release(caller, id, agent), id);
    return toChangedTask(task, 'released');
  },
});

function another(toolName: ToolName): string {
  return `Call ${toolName('claim_task')} without task_id for another task.`;
}

/** @throws UserError that says why the task was not claimed or released */
function requireDone(
  outcome: ClaimOutcome | undefined,
  id: number | undefined,
): Extract<ClaimOutcome, { kind: 'done' }> {
  if (outcome === undefined) throw new UserError(taskNotFound(id ?? null));
  if (outcome.kind === 'done') return outcome;
  if (outcome.kind === 'none') {
    throw new UserError({
      error: 'No task is ready',
      code: 'NOT_FOUND',
      hint: (toolName) =>
        `All tasks are completed, claimed (perhaps by you), or wait for other tasks. Call ${toolName('list_tasks')} with status "pending", then ${toolName('claim_task')} with a task_id: it continues your own claim, or says who has the task or what it waits for.`,
    });
  }
  const [code, reason] = refusalOf(outcome);
  throw new UserError({ error: `Task ${id} ${reason}`, code, hint: another });
}

function refusalOf(outcome: Exclude<ClaimOutcome, { kind: 'done' | 'none' }>) {
  if (outcome.kind === 'completed') return ['INVALID_ARGUMENT', 'is completed'] as const;
  if (outcome.kind === 'held')
    return ['CLAIMED', `is claimed by ${outcome.by} until ${toTimestamp(outcome.until)}`] as const;
  const { ids } = outcome;
  return ['NOT_READY', `waits for ${ids.length === 1 ? 'task' : 'tasks'} ${ids.join(', ')}`] as const;
}
