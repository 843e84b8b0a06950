import type { Notification, ToastAction, ToastPosition } from '../notification/notification.ts';

/** What a toast shows: the notification of a tool, or what the page itself shows. */
export interface ToastContent extends Omit<Notification, 'actions' | 'position'> {
  readonly actions?: readonly ToastAction[];
  readonly position: ToastPosition;
  /** Instead of the icon of the severity. */
  readonly icon?: Element;
  /** Instead of the message, which is still announced, and kept by the notification center. */
  readonly body?: Element;
}
