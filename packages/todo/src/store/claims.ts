import { UserError } from '@deskside/core/errors';
import type { AuditedResult } from './records.ts';
import type { ClaimOutcome } from './task-store.ts';

/** The audit row of a claim or a release. */
export function auditedClaim(
  taskId: number | undefined,
  result: ClaimOutcome | undefined,
): AuditedResult<ClaimOutcome | undefined> {
  if (result === undefined) return { result, outcome: 'task_not_found', taskId };
  return { result, outcome: result.kind === 'done' ? 'ok' : 'not_claimed', taskId };
}

/** Tasks that can't come first. */
export class InvalidOrder extends UserError {
  override readonly name = 'InvalidOrder';

  constructor(error: string) {
    const hint = 'Pass in after the ids of existing tasks that do not wait for this task.';
    super({ error, code: 'INVALID_ARGUMENT', hint });
  }
}

export function missingTasks(ids: readonly number[]): InvalidOrder {
  return new InvalidOrder(`after names tasks that do not exist: ${ids.join(', ')}`);
}
