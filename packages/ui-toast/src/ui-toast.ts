import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '@deskside/core/base';
import { type Journal, noJournal, RateLimit, withoutContent, withUserJournal } from '@deskside/desktop';
import { withDefaults } from '@deskside/core/program';
import { type UiToastOptions, uiToastOptions } from './options.ts';

/** Of the notifications of one caller. */
export const RATE = { burst: 20, perMinute: 60 } as const;

/** What the tool needs. It holds nothing to close: toasts live in the page that shows them. */
export interface UiToast extends AsyncDisposable {
  readonly rateLimit: RateLimit;
  readonly newId: () => string;
  readonly clock: Clock;
  readonly journal: Journal;
  /** Clients show toasts also if they do not declare it. */
  readonly hasToaster: boolean;
}

/** What only programs choose that use ui-toast as a library. */
interface UiToastSurroundings {
  readonly clock?: Clock;
  /** Where it records each notification. Default: nowhere. */
  readonly journal?: Journal;
  /** Returns a text that was never returned before; the id of a notification is made of it. Default: a UUID. */
  readonly newId?: () => string;
}

export function openUiToast(
  given: UiToastOptions = {},
  { clock = systemClock, journal = noJournal, newId = randomUUID }: UiToastSurroundings = {},
): UiToast {
  const { toaster, history } = withDefaults(uiToastOptions, given);
  return {
    rateLimit: new RateLimit(RATE, clock),
    newId,
    clock,
    journal: history ? journal : withoutContent(journal),
    hasToaster: toaster,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** For the program: it records in the journal of this user. */
export const openWithJournal = withUserJournal((options: UiToastOptions, given) =>
  openUiToast(options, given),
);
