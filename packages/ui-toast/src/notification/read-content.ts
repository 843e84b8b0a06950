import {
  DEFAULT_DURATION,
  DEFAULT_POSITION,
  LIMITS,
  type NotificationContent,
  POSITIONS,
  SEVERITIES,
} from './notification.ts';
import { readActions } from './read-actions.ts';
import { InvalidNotification, oneOf, optionalText, requiredText } from './read-values.ts';

/** The arguments of a call as they came. */
export type Arguments = Readonly<Record<string, unknown>>;

/**
 * Checks the arguments in the contract's order and fills the defaults in. Texts are trimmed, null is not given.
 *
 * @throws InvalidNotification for the first one that does not fit
 */
export function readContent(args: Arguments): NotificationContent {
  const message = requiredText('message', args['message']);
  const severity = oneOf('severity', args['severity'] ?? undefined, SEVERITIES);
  const title = optionalText('title', args['title']);
  const duration = readDuration(args['duration'] ?? DEFAULT_DURATION);
  const actions = readActions(args['actions'] ?? []);
  const position = oneOf('position', args['position'] ?? DEFAULT_POSITION, POSITIONS);
  return {
    message,
    severity,
    ...(title === '' ? {} : { title }),
    duration,
    ...(actions.length === 0 ? {} : { actions }),
    position,
  };
}

/** Models write `"5000"` now and then; other notations that JavaScript reads are no durations. */
const DECIMAL = /^\s*\d+(?:\.\d+)?\s*$/;

function readDuration(value: unknown): number {
  const duration = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  const fits =
    typeof duration === 'number' && (duration === 0 || (duration >= 1 && duration <= LIMITS.duration));
  if (fits) return duration === 0 ? 0 : duration;
  throw new InvalidNotification(
    `Duration must be between 0 and ${LIMITS.duration}ms`,
    `Pass milliseconds: 0 stays until dismissed, else 1 to ${LIMITS.duration}; ${DEFAULT_DURATION} is the default.`,
  );
}
