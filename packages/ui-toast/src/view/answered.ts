import type { Notification, NotificationAction } from '../notification/notification.ts';
import { plainText } from '../text/plain-text.ts';
import { fields, type Params } from './host.ts';

/**
 * The notification in our own tool's result, its texts plain. The server has checked it, and all that is done with it
 * here is showing and sending its texts.
 */
export function answered({ structuredContent, content }: Params): Notification | undefined {
  const { notification } = fields(structuredContent ?? jsonIn(content));
  const { message, severity, title, duration, actions, timestamp } = fields(notification);
  if (typeof message !== 'string') return undefined;
  return {
    id: '',
    message: plainText(message),
    severity: severity === 'success' || severity === 'warning' || severity === 'error' ? severity : 'info',
    ...(typeof title === 'string' ? { title: plainText(title) } : {}),
    duration: Number(duration),
    actions: Array.isArray(actions) ? actions.map(action) : [],
    position: 'top-right',
    timestamp: String(timestamp),
  };
}

function action(value: unknown): NotificationAction {
  const { label: given, prompt } = fields(value);
  const label = plainText(String(given));
  return typeof prompt === 'string'
    ? { label, action: 'prompt', prompt: plainText(prompt) }
    : { label, action: 'dismiss' };
}

/** Some hosts hand over the text alone. */
function jsonIn(content: unknown): unknown {
  try {
    return JSON.parse(String(Array.isArray(content) ? fields(content[0])['text'] : ''));
  } catch {
    return undefined;
  }
}
