import { DesksideToaster } from './toaster.ts';

export type { Labels } from './labels.ts';
export type {
  DismissAction,
  Notification,
  NotificationAction,
  NotificationContent,
  Position,
  PromptAction,
  Severity,
} from '../notification/notification.ts';
export { InvalidNotification } from '../notification/read-values.ts';
export type { CloseDetail, PromptDetail } from './events.ts';
export type { HistoryEntry } from './history.ts';
export { DesksideToaster, type ToastInput } from './toaster.ts';

declare global {
  interface HTMLElementTagNameMap {
    'deskside-toaster': DesksideToaster;
  }
}

// Twice on a page, as by two bundles, is no error: the first one serves.
if (globalThis.customElements?.get('deskside-toaster') === undefined) {
  globalThis.customElements?.define('deskside-toaster', DesksideToaster);
}
