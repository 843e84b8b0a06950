import { randomUUID } from 'node:crypto';
import { RateLimit } from './notification/rate-limit.ts';

/** What the tool needs. It holds nothing to close: toasts live in the page that shows them. */
export interface UiToast extends AsyncDisposable {
  readonly rateLimit: RateLimit;
  readonly newId: () => string;
  readonly now: () => Date;
  /** Clients show toasts also if they do not declare it. */
  readonly hasToaster: boolean;
}

export interface UiToastOptions {
  /** True for a page that shows toasts and whose MCP client does not declare it. Default false. */
  readonly toaster?: boolean;
  readonly now?: () => Date;
  /** Returns a UUID. */
  readonly newId?: () => string;
  /** Milliseconds of a monotonic clock. */
  readonly uptime?: () => number;
}

export function openUiToast({
  toaster = false,
  now = () => new Date(),
  newId = randomUUID,
  uptime = () => performance.now(),
}: UiToastOptions = {}): UiToast {
  return {
    rateLimit: new RateLimit(uptime),
    newId,
    now,
    hasToaster: toaster,
    [Symbol.asyncDispose]: async () => undefined,
  };
}
