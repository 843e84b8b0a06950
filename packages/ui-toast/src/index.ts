export type {
  DismissAction,
  Notification,
  NotificationAction,
  NotificationContent,
  Position,
  PromptAction,
  Severity,
} from '@deskside/toaster/notification';
export { type UiToastOptions, uiToastOptions } from './options.ts';
export { uiToastServer } from './server.ts';
export { uiToastTools } from './tools/index.ts';
export { openUiToast, type UiToast } from './ui-toast.ts';
