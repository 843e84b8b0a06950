import { randomUUID } from 'node:crypto';
import { NotificationRate } from './rate/notification-rate.ts';

/** What the tool uses. There is nothing to close: toasts live in the page that shows them. */
export interface UiToast extends AsyncDisposable {
  readonly rate: NotificationRate;
  readonly newId: () => string;
  readonly now: () => Date;
}

export interface UiToastOptions {
  readonly now?: () => Date;
  readonly newId?: () => string;
  /** Milliseconds of a clock that never goes back. */
  readonly uptime?: () => number;
}

export function openUiToast({
  now = () => new Date(),
  newId = randomUUID,
  uptime = () => performance.now(),
}: UiToastOptions = {}): UiToast {
  return { rate: new NotificationRate(uptime), newId, now, [Symbol.asyncDispose]: async () => undefined };
}
