export {
  ACTION_TYPES,
  DEFAULT_DURATION_MS,
  DEFAULT_POSITION,
  type DismissAction,
  MAX_ACTIONS,
  MAX_CODE_POINTS,
  MAX_DURATION_MS,
  type Notification,
  type NotificationAction,
  type NotificationContent,
  type Position,
  POSITIONS,
  type PromptAction,
  SEVERITIES,
  type Severity,
} from './notification.ts';
export { InvalidNotification, readContent } from './read-notification.ts';
