import type { Notification } from '../notification/notification.ts';
import { filled, type Labels } from './labels.ts';

/** What a screen reader says of a notification. @param hotkey the way to its actions; empty for none */
export function announcement(
  { severity, title, message, actions = [] }: Notification,
  labels: Labels,
  hotkey: string,
): string {
  const hint = actions.length > 0 && hotkey !== '' ? filled(labels.hint, { key: hotkey }) : '';
  const parts = [`${labels[severity]}:`, title === undefined ? '' : `${title}.`, message, hint];
  return parts.filter(Boolean).join(' ');
}
