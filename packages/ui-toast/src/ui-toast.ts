import { randomUUID } from 'node:crypto';
import { type Clock, type Rate, RateLimit, systemClock } from '@deskside/core/base';

/** Of the notifications of one caller. */
export const RATE: Rate = { burst: 20, perMinute: 60 };

/** What the tool needs. It holds nothing to close: toasts live in the page that shows them. */
export interface UiToast extends AsyncDisposable {
  readonly rateLimit: RateLimit;
  readonly newId: () => string;
  readonly clock: Clock;
  /** Clients show toasts also if they do not declare it. */
  readonly hasToaster: boolean;
}

export interface UiToastOptions {
  /** True for a page that shows toasts and whose MCP client does not declare it. Default false. */
  readonly toaster?: boolean;
  readonly clock?: Clock;
  /** Returns a UUID. */
  readonly newId?: () => string;
}

export function openUiToast({
  toaster = false,
  clock = systemClock,
  newId = randomUUID,
}: UiToastOptions = {}): UiToast {
  return {
    rateLimit: new RateLimit(RATE, clock),
    newId,
    clock,
    hasToaster: toaster,
    [Symbol.asyncDispose]: async () => undefined,
  };
}
