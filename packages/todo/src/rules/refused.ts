import { ToolError } from '@deskside/core';
import type { Refusal } from '../store/task-store.ts';

type Failure = ConstructorParameters<typeof ToolError>[0];

/** A call that the rules refuse: what the model reads, and what the audit keeps. */
export class Refused extends ToolError {
  readonly outcome: Refusal;
  readonly taskId: number | undefined;

  constructor(outcome: Refusal, failure: Failure, taskId?: number) {
    super(failure);
    this.outcome = outcome;
    this.taskId = taskId;
  }
}

export function invalid(error: string): Refused {
  return new Refused('invalid', { exactly: { error } });
}
