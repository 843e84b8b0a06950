import { UserError } from '@deskside/core/errors';
import * as z from 'zod';
import {
  DEFAULT_CONTEXT,
  LEVELS,
  type NotificationInput,
  normalizeContext,
  parseLevel,
} from '../notification/notification.ts';

/**
 * The contract's input schema. It is advertised only: the contract has its own errors and accepts other levels as
 * info, so `readNotification` validates.
 */
export const notifyInput = z
  .object({
    message: z
      .unknown()
      .optional()
      .meta({ type: 'string', description: 'The message to notify the user about', minLength: 1 }),
    level: z
      .unknown()
      .optional()
      .meta({
        type: 'string',
        enum: [...LEVELS],
        description: 'The notification level (default: info)',
        default: 'info',
      }),
    context: z.unknown().optional().meta({
      type: 'string',
      description: 'Optional context or category for the notification',
      default: DEFAULT_CONTEXT,
    }),
  })
  .meta({ required: ['message'] });

/** @throws UserError if the message is missing, blank or not a string */
export function readNotification({
  message,
  level,
  context,
}: z.output<typeof notifyInput>): NotificationInput {
  if (typeof message !== 'string' || message.trim() === '') {
    const isEmpty = message === undefined || message === null || typeof message === 'string';
    throw new UserError({
      error: isEmpty ? 'The message is empty' : 'The message must be a string',
      code: 'INVALID_ARGUMENT',
      hint: 'Pass "message" as a string that is not empty.',
    });
  }
  return { level: parseLevel(level), context: normalizeContext(context), message };
}
