import { DesksideToaster } from './toaster.ts';

export type {
  DismissAction,
  Notification,
  NotificationAction,
  NotificationContent,
  Position,
  PromptAction,
  Severity,
} from '../notification/notification.ts';
export { InvalidNotification } from '../notification/read-notification.ts';
export type { HistoryEntry } from './center.ts';
export type { CloseDetail, PromptDetail } from './controller.ts';
export type { Labels } from './settings.ts';
export { DesksideToaster, type PromiseToasts, type ToastInput } from './toaster.ts';

declare global {
  interface HTMLElementTagNameMap {
    'deskside-toaster': DesksideToaster;
  }
}

// Two bundles on one page may both import this module: the first definition stays.
if (globalThis.customElements?.get('deskside-toaster') === undefined) {
  globalThis.customElements?.define('deskside-toaster', DesksideToaster);
}
