import type { ToastContent } from '../card/content.ts';
import {
  DEFAULT_DURATION_MS,
  escapeNotification,
  MAX_MESSAGE_CODE_POINTS,
  MAX_TITLE_CODE_POINTS,
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
  const { action, loading, timestamp, icon, body, ...given } = input;
  const severity = SEVERITIES.find((known) => known === given.severity) ?? 'info';
  const content = escapeNotification({
    ...given,
    // An element of another window is one too.
    ...(icon?.nodeType === 1 && { icon }),
    ...(body?.nodeType === 1 && { body }),
    position: TOAST_POSITIONS.find((known) => known === given.position) ?? position,
    message: shorten(given.message, MAX_MESSAGE_CODE_POINTS) || labels[severity],
    ...(given.title && { title: shorten(given.title, MAX_TITLE_CODE_POINTS) }),
    actions: (Array.isArray(given.actions) ? given.actions : [action]).filter(isAction),
  });
  // A setting of the page may be absent, or a text.
  const durationMs = /^[\dI]/.test(String(given.duration)) ? Number(given.duration) : Number.NaN;
  // The result of a tool has a duration in any case: the default one was not chosen.
  const isChosen = durationMs >= 0 && (!timestamp || durationMs !== DEFAULT_DURATION_MS);
  return {
    ...content,
    id,
    severity,
    ...(loading && { loading }),
    // 23 days: a timer of the browser has 31 bits. What is longer stays.
    duration: isChosen ? (durationMs < 2e9 ? durationMs : 0) : readingMs(content),
    timestamp: timestamp || new Date().toISOString(),
  };
}

function isAction(given: ToastAction | null | undefined): given is ToastAction {
  return typeof given?.label === 'string' && (given.action !== 'prompt' || typeof given.prompt === 'string');
}

/** A script without types may pass any value. */
function shorten(text: unknown, maxCodePoints: number): string {
  if (typeof text !== 'string') return '';
  // A text of the page can have any length: no more of it is split into code points than can be shown.
  // oxlint-disable-next-line typescript/no-misused-spread, unicorn/no-useless-spread -- by code points
  const points = [...text.trim().slice(0, 2 * maxCodePoints + 2)];
  const isLong = points.length > maxCodePoints;
  return isLong ? `${points.slice(0, maxCodePoints - 1).join('')}…` : points.join('');
}
