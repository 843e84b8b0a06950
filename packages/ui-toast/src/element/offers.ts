import type { Notification, NotificationAction } from '../notification/notification.ts';
import type { PromptDetail } from './events.ts';
import type { Stage } from './stage.ts';
import type { Toast } from './toast.ts';

/** What a person's choice of an action does: a prompt is offered to the page, nothing more. */
export class Offers {
  readonly #stage: Stage;
  readonly #onPrompt: (detail: PromptDetail) => boolean;

  /** @param onPrompt returns false where the page wants the toast to stay */
  constructor(stage: Stage, onPrompt: (detail: PromptDetail) => boolean) {
    this.#stage = stage;
    this.#onPrompt = onPrompt;
  }

  /** @returns whether its notification is dealt with */
  take(notification: Notification, action: NotificationAction): boolean {
    if (action.action === 'dismiss') return true;
    const { prompt, label } = action;
    return this.#onPrompt({ prompt, label, notification, origin: 'tool' });
  }

  /** The same on a toast, where a pointer may have been aimed at what stood there before. */
  takeFrom({ notification, position }: Toast, action: NotificationAction, { detail }: MouseEvent): boolean {
    const byPointer = detail > 0;
    if (action.action === 'prompt' && byPointer && !this.#stage.isSteady(position)) return false;
    return this.take(notification, action);
  }
}
