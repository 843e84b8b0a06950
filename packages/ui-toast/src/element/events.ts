import type { Notification } from '../notification/notification.ts';

/**
 * A person clicked a prompt action. Nothing is sent by itself: the page sends the prompt as the person's message,
 * or asks first. `preventDefault()` keeps the toast open.
 */
export interface PromptDetail {
  readonly prompt: string;
  readonly label: string;
  readonly notification: Notification;
  /** The words are a tool's, not the person's. */
  readonly origin: 'tool';
}

/** How a toast went. */
export interface CloseDetail {
  readonly notification: Notification;
  readonly reason: 'closed' | 'action' | 'swiped' | 'expired' | 'called';
}

declare global {
  interface HTMLElementEventMap {
    'deskside-prompt': CustomEvent<PromptDetail>;
    'deskside-close': CustomEvent<CloseDetail>;
  }
}
