import { isBlank } from '../text/plain-text.ts';
import { ACTION_TYPES, LIMITS, type NotificationAction } from './notification.ts';
import { InvalidNotification, quoted, requiredText } from './read-values.ts';

const SHAPE =
  'Pass up to three of {"label": "…", "action": "prompt", "prompt": "…"} or {"label": "…", "action": "dismiss"}.';

export function readActions(value: unknown): NotificationAction[] {
  if (!Array.isArray(value)) throw new InvalidNotification('Actions must be an array', SHAPE);
  if (value.length > LIMITS.actions)
    throw new InvalidNotification(`Maximum ${LIMITS.actions} actions allowed`, SHAPE);
  return value.map(readAction);
}

function readAction(value: unknown): NotificationAction {
  if (typeof value !== 'object' || value === null) {
    throw new InvalidNotification(`Invalid action: ${quoted(value)}. Must be an object`, SHAPE);
  }
  const given: { label?: unknown; action?: unknown; prompt?: unknown } = value;
  const label = requiredText('label', given.label);
  const action = ACTION_TYPES.find((type) => type === given.action);
  if (action === undefined) {
    throw new InvalidNotification(
      given.action === undefined
        ? 'Missing required parameter: action'
        : `Invalid action type: ${quoted(given.action)}. Must be 'dismiss' or 'prompt'`,
      SHAPE,
    );
  }
  if (action === 'dismiss') return { label, action };
  if (typeof given.prompt !== 'string' || isBlank(given.prompt)) {
    throw new InvalidNotification('Action type "prompt" requires a prompt string', SHAPE);
  }
  return { label, action, prompt: requiredText('prompt', given.prompt) };
}
