import { UserError } from '@deskside/core/errors';
import type { RejectionReason } from '../store/task-store.ts';

/** A call that validation rejects: the answer for the model, and the reason for the audit. */
export class RejectedCall extends UserError {
  readonly reason: RejectionReason;

  constructor(reason: RejectionReason, failure: ConstructorParameters<typeof UserError>[0]) {
    super(failure);
    this.reason = reason;
  }
}

/** A wrong argument beyond the contract. */
export function invalidArgument(error: string, hint: string): RejectedCall {
  return new RejectedCall('invalid', { error, code: 'INVALID_ARGUMENT', hint });
}
