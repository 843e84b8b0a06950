import type { NotificationContent } from './notification.ts';

/** Whether a person would take the one for the other: everything but the duration. */
export function sameContent(one: NotificationContent, other: NotificationContent): boolean {
  return key(one) === key(other);
}

function key({ severity, title, message, actions, position }: NotificationContent): string {
  return JSON.stringify([severity, title, message, actions, position]);
}
