import { truncateCodePoints } from '@deskside/core/text';
import type { ToastContent } from '../card/content.ts';
import {
  DEFAULT_DURATION_MS,
  escapeNotification,
  MAX_CODE_POINTS,
  readingMs,
  SEVERITIES,
  type Severity,
  TOAST_POSITIONS,
  type ToastAction,
} from '../notification/notification.ts';
import type { Settings } from './settings.ts';

/** A notification from a page or a tool. */
export interface ToastInput extends Partial<Omit<ToastContent, 'message' | 'loading'>> {
  readonly message: string;
  /** Default `info`. */
  readonly severity?: Severity;
  /** Milliseconds, exactly; 0 stays. Default 5000, or as long as reading takes. */
  readonly duration?: number;
  /** One action, for short. */
  readonly action?: ToastAction;
  /** Shows a spinner, and stays until a notification with the same id replaces it. */
  readonly loading?: boolean;
}

export interface FilledToast extends ToastContent {
  readonly actions: readonly ToastAction[];
}

/**
 * Fills in the defaults. A page often shows what it caught: a long text is shortened, one that shows nothing becomes the
 * name of the severity. Nothing is thrown.
 */
export function readInput(input: ToastInput, id: string, { labels, position }: Settings): FilledToast {
  const { action, loading, duration, timestamp, ...given } = input;
  const severity = SEVERITIES.find((known) => known === given.severity) ?? 'info';
  const content = escapeNotification({
    ...given,
    position: TOAST_POSITIONS.find((known) => known === given.position) ?? position,
    message: shorten(given.message, MAX_CODE_POINTS.message) || labels[severity],
    ...(given.title && { title: shorten(given.title, MAX_CODE_POINTS.title) }),
    actions: given.actions ?? (action ? [action] : []),
  });
  // The result of a tool has a duration in any case: the default one was not chosen.
  const isChosen = duration !== undefined && (timestamp === undefined || duration !== DEFAULT_DURATION_MS);
  return {
    ...content,
    id,
    severity,
    ...(loading && { loading }),
    // 23 days: a timer of the browser has 31 bits. What is longer stays.
    duration: isChosen ? (duration < 2e9 ? duration : 0) : readingMs(content),
    timestamp: timestamp ?? new Date().toISOString(),
  };
}

/** A script without types may pass any value. */
function shorten(text: unknown, maxCodePoints: number): string {
  return typeof text === 'string' ? truncateCodePoints(text.trim(), maxCodePoints) : '';
}
