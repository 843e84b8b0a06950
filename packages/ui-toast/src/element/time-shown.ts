import type { NotificationContent } from '../notification/notification.ts';

/** Milliseconds that a toast with actions is shown at least, and for each character that is to be read. */
const LEAST_WITH_ACTIONS = 5000;
const PER_CHARACTER = 50;

/**
 * Milliseconds on the screen. An action that is gone before it can be read and reached is no offer, so a toast
 * with actions may stay longer than its duration; every other one keeps to it.
 */
export function timeShown({ duration, message, title = '', actions = [] }: NotificationContent): number {
  if (duration === 0 || actions.length === 0) return duration;
  const texts = actions.map((action) => action.label + (action.action === 'prompt' ? action.prompt : ''));
  return Math.max(duration, LEAST_WITH_ACTIONS, PER_CHARACTER * (message + title + texts.join('')).length);
}
