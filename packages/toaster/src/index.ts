import { DesksideToaster } from './element/toaster.ts';

export type {
  DismissAction,
  Notification,
  NotificationAction,
  NotificationContent,
  Position,
  PromptAction,
  Severity,
} from './notification/notification.ts';
export { InvalidNotification } from './notification/read-notification.ts';
export type { HistoryEntry } from './element/center.ts';
export type { CloseDetail, PromptDetail } from './element/controller.ts';
export type { Labels } from './element/settings.ts';
export { DesksideToaster, type PromiseToasts, type ToastInput } from './element/toaster.ts';

declare global {
  interface HTMLElementTagNameMap {
    'deskside-toaster': DesksideToaster;
  }
}

// Two bundles on one page may both import this module: the first definition stays.
if (globalThis.customElements?.get('deskside-toaster') === undefined) {
  globalThis.customElements?.define('deskside-toaster', DesksideToaster);
}
