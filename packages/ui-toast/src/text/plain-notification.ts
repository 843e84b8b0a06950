import type { NotificationAction, NotificationContent } from '../notification/notification.ts';
import { plainText } from './plain-text.ts';

/** The same notification with nothing in its texts that acts or hides. */
export function plainNotification<Shown extends NotificationContent>(notification: Shown): Shown {
  const { message, title, actions } = notification;
  return {
    ...notification,
    message: plainText(message),
    ...(title === undefined ? {} : { title: plainText(title) }),
    ...(actions === undefined ? {} : { actions: actions.map(plainAction) }),
  };
}

function plainAction(action: NotificationAction): NotificationAction {
  const label = plainText(action.label);
  return action.action === 'prompt'
    ? { ...action, label, prompt: plainText(action.prompt) }
    : { ...action, label };
}
