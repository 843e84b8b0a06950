import { type Notification, type NotificationInput, OWN_CONTEXT } from './notification.ts';
import {
  briefly,
  highestLevel,
  levelsText,
  listText,
  mergedTallies,
  partsOf,
  subjectText,
  type Tally,
  tallyOf,
} from './tally.ts';

/** Notifications that a sink lost and that its people do not know about yet, as plain data. */
export interface Losses {
  readonly tally: Tally;
  /** Cause, as in `because …`, to the number of notifications. */
  readonly causes: Readonly<Record<string, number>>;
}

export function lossesOf(notifications: readonly Notification[], cause: string): Losses {
  return { tally: briefly(tallyOf(notifications)), causes: { [cause]: notifications.length } };
}

/** @returns all of them together */
export function mergedLosses(first: Losses | undefined, second: Losses): Losses {
  if (first === undefined) return second;
  const causes = { ...first.causes };
  for (const [cause, count] of Object.entries(second.causes)) causes[cause] = (causes[cause] ?? 0) + count;
  return { tally: briefly(mergedTallies([first.tally, second.tally])), causes };
}

/** The first notice that reports losses to the people of the sink, and what the next ones have to report. */
export function lossNotice(
  { tally, causes }: Losses,
  maxCodePoints: number,
): { readonly notice: NotificationInput; readonly rest: Losses | undefined } {
  const [first = tally, ...others] = partsOf(tally, maxCodePoints);
  const because = Object.keys(causes).join(', or because ');
  const message = `${subjectText(first)} lost because ${because}: ${levelsText(first)}.${listText(first)}`;
  const level = highestLevel(first) === 'error' ? 'error' : 'warn';
  return {
    notice: { level, context: OWN_CONTEXT, message },
    rest: others.length === 0 ? undefined : { tally: mergedTallies(others), causes },
  };
}
