import { escapeInvisible } from '@deskside/core/text';

export const SEVERITIES = ['info', 'success', 'warning', 'error'] as const;
export const POSITIONS = ['top-right', 'top-center', 'bottom-right'] as const;
export const ACTION_TYPES = ['prompt', 'dismiss'] as const;

export type Severity = (typeof SEVERITIES)[number];
export type Position = (typeof POSITIONS)[number];

export const MAX_CODE_POINTS = { message: 500, title: 100, label: 50, prompt: 200 } as const;
export const MAX_ACTIONS = 3;
export const MAX_DURATION_MS = 30_000;
export const DEFAULT_DURATION_MS = 5000;
export const DEFAULT_POSITION: Position = 'top-right';

/** Closes the toast. */
export interface DismissAction {
  readonly label: string;
  readonly action: 'dismiss';
}

/** Offers a prompt to the chat. A click of the person sends it. */
export interface PromptAction {
  readonly label: string;
  readonly action: 'prompt';
  readonly prompt: string;
}

export type NotificationAction = DismissAction | PromptAction;

/** The arguments of `show_notification`, with every default filled in. */
export interface NotificationContent {
  readonly message: string;
  readonly severity: Severity;
  readonly title?: string;
  /** Milliseconds; 0 stays until the person dismisses it. */
  readonly duration: number;
  readonly actions?: readonly NotificationAction[];
  readonly position: Position;
  /** Shows a spinner, and stays until a notification with the same id replaces it. */
  readonly loading?: true;
}

/** What `show_notification` returns under the key `notification`. */
export interface Notification extends NotificationContent {
  readonly id: string;
  /** ISO 8601 in UTC. */
  readonly timestamp: string;
}

/** The shown form of a notification. A prompt is sent exactly as it was shown, so both use this form. */
export function escapeNotification<Shown extends NotificationContent>(notification: Shown): Shown {
  const text = JSON.stringify(notification, (key, value: unknown) =>
    key !== 'id' && typeof value === 'string' ? escapeInvisible(value, { multiline: true }) : value,
  );
  return JSON.parse(text);
}
