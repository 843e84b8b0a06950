/** What the contract allows, for the server that checks it and the page that shows it. */
export const SEVERITIES = ['info', 'success', 'warning', 'error'] as const;
export const POSITIONS = ['top-right', 'top-center', 'bottom-right'] as const;
export const ACTION_TYPES = ['prompt', 'dismiss'] as const;

export type Severity = (typeof SEVERITIES)[number];
export type Position = (typeof POSITIONS)[number];

/** Lengths in code points, durations in milliseconds. */
export const LIMITS = {
  message: 500,
  title: 100,
  label: 50,
  prompt: 200,
  actions: 3,
  duration: 30_000,
} as const;
export const DEFAULT_DURATION = 5000;
export const DEFAULT_POSITION: Position = 'top-right';

/** Closes the toast. */
export interface DismissAction {
  readonly label: string;
  readonly action: 'dismiss';
}

/** Offers a prompt to the chat, which the person sends by a click. */
export interface PromptAction {
  readonly label: string;
  readonly action: 'prompt';
  readonly prompt: string;
}

export type NotificationAction = DismissAction | PromptAction;

/** What an agent decides; every default is filled in. */
export interface NotificationContent {
  readonly message: string;
  readonly severity: Severity;
  readonly title?: string;
  /** Milliseconds; 0 stays until it is dismissed. */
  readonly duration: number;
  readonly actions?: readonly NotificationAction[];
  readonly position: Position;
}

/** What a tool call answers under the key `notification`. */
export interface Notification extends NotificationContent {
  readonly id: string;
  /** ISO-8601, UTC. */
  readonly timestamp: string;
}
