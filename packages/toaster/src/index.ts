import { DesksideToaster } from './element/toaster.ts';
export type { ToastContent } from './card/content.ts';

export type {
  DismissAction,
  Notification,
  NotificationAction,
  NotificationContent,
  PageAction,
  Position,
  PromptAction,
  Severity,
  ToastAction,
  ToastPosition,
} from './notification/notification.ts';
export type { HistoryEntry } from './element/center.ts';
export type { CloseDetail, PromptDetail } from './element/controller.ts';
export type { Labels } from './element/settings.ts';
export type { ToastInput } from './element/input.ts';
export { DesksideToaster, getToaster, type PromiseToasts, type ToastOptions } from './element/toaster.ts';

declare global {
  interface HTMLElementTagNameMap {
    'deskside-toaster': DesksideToaster;
  }
}

// Two bundles on one page may both import this module: the first definition stays.
if (!globalThis.customElements?.get('deskside-toaster')) {
  globalThis.customElements?.define('deskside-toaster', DesksideToaster);
}
