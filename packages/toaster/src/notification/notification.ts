import { escapeInvisibleLines } from '@deskside/core/text';

export const SEVERITIES = ['info', 'success', 'warning', 'error'] as const;
export const POSITIONS = ['top-right', 'top-center', 'bottom-right'] as const;
/** Positions of a page's own toasts. */
export const TOAST_POSITIONS = [...POSITIONS, 'top-left', 'bottom-left', 'bottom-center'] as const;
export const ACTION_TYPES = ['prompt', 'dismiss'] as const;

export type Severity = (typeof SEVERITIES)[number];
export type Position = (typeof POSITIONS)[number];
export type ToastPosition = (typeof TOAST_POSITIONS)[number];

export const MAX_MESSAGE_CODE_POINTS = 500;
export const MAX_TITLE_CODE_POINTS = 100;
/** A card shows three lines of a longer prompt, and all of it at a click. */
export const MAX_PROMPT_CODE_POINTS = 2000;
export const MAX_LABEL_CODE_POINTS = 100;
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

/** Calls the page. The toast closes, unless the page calls `event.preventDefault()`. */
export interface PageAction {
  readonly label: string;
  readonly action?: undefined;
  /** Gets the `MouseEvent` in a page; servers use these types without the DOM. */
  onClick(event: Event): unknown;
}

export type ToastAction = NotificationAction | PageAction;

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
  /** The run of the agent ended before the work that it showed with `loading`. */
  readonly ended?: true;
}

const READING_MS_PER_CHARACTER = 50;
/** About three lines of a prompt: so much is shown until the person wants to see all of it. */
const FOLDED_CHARACTERS = 200;

/** The texts that a person reads on a toast. */
export interface ReadText extends Pick<Notification, 'message' | 'title'> {
  readonly actions?: readonly ToastAction[];
}

/** How long a toast without an explicit duration stays: a person needs time to read it and to reach a button (WCAG 2.2.1). */
export function readingMs({ message, title = '', actions = [] }: ReadText): number {
  const texts = actions.map(
    (action) => action.label + (action.action === 'prompt' ? action.prompt.slice(0, FOLDED_CHARACTERS) : ''),
  );
  return Math.max(DEFAULT_DURATION_MS, READING_MS_PER_CHARACTER * (message + title + texts.join('')).length);
}

/** The shown form of a notification. A prompt is sent exactly as it was shown, so both use this form. */
export function escapeNotification<Shown extends ReadText>(notification: Shown): Shown {
  const { message, title, actions } = notification;
  return {
    ...notification,
    message: escapeInvisibleLines(message),
    ...(title && { title: escapeInvisibleLines(title) }),
    ...(actions && { actions: actions.map(escapeAction) }),
  };
}

function escapeAction(action: ToastAction): ToastAction {
  const prompt = action.action === 'prompt' && { prompt: escapeInvisibleLines(action.prompt) };
  return { ...action, label: escapeInvisibleLines(action.label), ...prompt };
}
