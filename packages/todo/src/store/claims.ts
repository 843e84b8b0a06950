import { UserError } from '@deskside/core/errors';
import type { AuditedResult } from './records.ts';
import type { Task } from './task-store.ts';

/** Who claims a task. */
export interface ClaimHolder {
  /** The same for all calls of one agent. */
  readonly key: string;
  /** For people and other agents. */
  readonly label: string;
  /** Its tasks come first. */
  readonly project?: string | undefined;
}

export interface ClaimRequest {
  /** Default: the next task that is ready. */
  readonly id?: number | undefined;
  readonly holder: ClaimHolder;
  readonly leaseMs: number;
}

/** What became of a claim or a release; undefined if the user has no task with that id. */
export type ClaimOutcome =
  | { readonly kind: 'done'; readonly task: Task; readonly until: Date | null }
  | { readonly kind: 'held'; readonly by: string; readonly until: Date }
  | { readonly kind: 'completed' }
  | { readonly kind: 'waits'; readonly ids: readonly number[] }
  /** No task is ready. */
  | { readonly kind: 'none' };

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

/** @throws InvalidOrder if a task does not exist */
export function requireExisting(after: readonly number[], existing: readonly number[]): void {
  const missing = after.filter((id) => !existing.includes(id));
  if (missing.length > 0) {
    throw new InvalidOrder(`after names tasks that do not exist: ${missing.join(', ')}`);
  }
}
