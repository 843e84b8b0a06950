export type {
  DismissAction,
  Notification,
  NotificationAction,
  NotificationContent,
  Position,
  PromptAction,
  Severity,
} from '@deskside/toaster/notification';
export { uiToastOptions } from './options.ts';
export { uiToastServer } from './server.ts';
export { uiToastTools } from './tools/index.ts';
export { openUiToast, type UiToast, type UiToastOptions } from './ui-toast.ts';
