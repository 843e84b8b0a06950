import { ToolError } from '@deskside/core';
import type { Outcome } from '../service/outcome.ts';
import type { Question } from '../service/question.ts';

const elsewhere = 'Ask the person in the conversation itself, or go on without an answer.';

/**
 * The contract's text for an outcome.
 *
 * @throws ToolError where nothing could be shown, or nobody waits
 */
export function answerOf(outcome: Outcome, { timeout }: Question): string {
  switch (outcome.kind) {
    case 'submitted':
      return `User response: ${outcome.text}`;
    case 'displayed':
      return '✓ Message displayed successfully';
    case 'cancelled':
      return 'User cancelled the popup';
    case 'dismissed':
      return 'User dismissed the popup';
    case 'superseded':
      return 'User cancelled or dismissed the popup';
    case 'timeout':
      return `No response within ${timeout}s timeout`;
    case 'empty':
      return 'User submitted empty response';
    case 'no-display':
      throw new ToolError({
        exactly:
          'Error: Cannot display popup - no display available. This feature requires a graphical environment.',
        next: elsewhere,
      });
    case 'failed':
      throw new ToolError({ exactly: `Error: Cannot display popup - ${outcome.reason}.`, next: elsewhere });
    case 'abandoned':
      throw new ToolError({
        error: 'The popup was closed because its call was cancelled or the server is closing',
        code: 'UNAVAILABLE',
        hint: 'What was typed is offered again in the next popup: ask again if the answer is still needed.',
      });
  }
}
