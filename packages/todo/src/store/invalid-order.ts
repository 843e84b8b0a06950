import { UserError } from '@deskside/core/errors';

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
