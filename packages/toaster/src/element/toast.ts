import { Countdown } from '../card/countdown.ts';
import { create, isOnButton, listen } from '../card/dom.ts';
import type { Notification, NotificationContent, Position } from '../notification/notification.ts';
import type { Queued } from './queue.ts';
import { fillLabel, type Labels } from './settings.ts';

/** How long a toast with actions stays at least. */
const MIN_ACTION_MS = 5000;
const READING_MS_PER_CHARACTER = 50;

/** One notification on the screen or in the queue, and its repetitions. */
export class Toast implements Queued {
  notification: Notification;
  readonly position: Position;
  /** How often the notification came. */
  count = 1;
  /** Undefined while the toast waits, also again. */
  card: HTMLElement | undefined;
  /** `performance.now()` when the card appeared. */
  shownAt = 0;
  readonly #ids: Set<string>;
  #countdown: Countdown | undefined;

  constructor(notification: Notification) {
    this.notification = notification;
    this.position = notification.position;
    this.#ids = new Set([notification.id]);
  }

  get isError(): boolean {
    return this.notification.severity === 'error';
  }

  get urgent(): boolean {
    return this.isError || this.notification.duration === 0;
  }

  get isHeld(): boolean {
    return this.card?.matches(':hover, :focus-within') ?? false;
  }

  hasId(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Whether a person sees no difference: everything but the duration is equal. */
  isDuplicate(notification: Notification): boolean {
    return visibleContent(this.notification) === visibleContent(notification);
  }

  /** Counts a duplicate, accepts its id too, and keeps the longer duration. */
  mergeDuplicate({ id, duration }: Notification): void {
    this.count += 1;
    this.#ids.add(id);
    const durations = [this.notification.duration, duration];
    this.notification = {
      ...this.notification,
      duration: durations.includes(0) ? 0 : Math.max(...durations),
    };
  }

  /** Starts the time from the beginning, paused. @param exact closes after `duration` even if it has actions */
  restart(exact: boolean, onEnd: () => void): void {
    this.pause();
    const { loading, duration } = this.notification;
    this.#countdown = new Countdown(loading ? 0 : exact ? duration : displayMs(this.notification), onEnd);
  }

  run(): void {
    this.#countdown?.run();
  }

  pause(): void {
    this.#countdown?.pause();
  }
}

/** Work in progress is never a duplicate: each ends with its own result. */
function visibleContent({ id, severity, title, message, actions, position, loading }: Notification): string {
  return JSON.stringify([severity, title, message, actions, position, loading && id]);
}

/**
 * Milliseconds on the screen. A toast with actions may stay longer than its `duration`: the person needs time to read
 * it and to reach a button (WCAG 2.2.1).
 */
function displayMs({ duration, message, title = '', actions = [] }: NotificationContent): number {
  if (duration === 0 || actions.length === 0) return duration;
  const texts = actions.map((action) => action.label + (action.action === 'prompt' ? action.prompt : ''));
  const readingMs = READING_MS_PER_CHARACTER * (message + title + texts.join('')).length;
  return Math.max(duration, MIN_ACTION_MS, readingMs);
}

/** Shows how often the same notification came. @returns undefined for once */
export function createCountBadge(count: number, labels: Labels): HTMLElement | undefined {
  if (count === 1) return undefined;
  const spoken = fillLabel(labels.repeated, { n: count });
  return create('span', { class: 'count', role: 'img', 'aria-label': spoken }, `×${count}`);
}

/** A release at this distance dismisses the toast. */
const SWIPE_PX = 45;
/** A fast swipe dismisses from this distance. */
const FLICK_PX = 12;
const FLICK_PX_PER_MS = 0.3;

/**
 * Lets touch and pen swipe a card away. A mouse selects text instead, and buttons stay clickable.
 *
 * @param onChange `dragging` when a swipe starts, `released` when it ends, then `dismissed` if it was far or fast enough
 */
export function makeSwipeable(
  card: HTMLElement,
  direction: 'right' | 'up',
  onChange: (state: 'dragging' | 'released' | 'dismissed') => void,
): void {
  const isUp = direction === 'up';
  let start: PointerEvent | undefined;

  card.style.touchAction = isUp ? 'pan-x' : 'pan-y';
  const distancePx = ({ clientX, clientY }: PointerEvent, from: PointerEvent) =>
    Math.max(0, isUp ? from.clientY - clientY : clientX - from.clientX);
  const release = (dismiss: boolean) => {
    start = undefined;
    onChange('released');
    if (dismiss) return onChange('dismissed');
    const { translate, opacity } = card.style;
    card.style.translate = '';
    card.style.opacity = '';
    card.animate(
      { translate: [translate, '0 0'], opacity: [opacity, '1'] },
      { duration: 200, easing: 'ease-out' },
    );
  };

  listen(card, {
    pointerdown: (event) => {
      if (event.pointerType === 'mouse' || isOnButton(event) || start) return;
      start = event;
      card.setPointerCapture(event.pointerId);
      onChange('dragging');
    },
    pointermove: (event) => {
      if (event.pointerId !== start?.pointerId) return;
      const moved = distancePx(event, start);
      card.style.translate = isUp ? `0 ${-moved}px` : `${moved}px`;
      card.style.opacity = String(Math.max(0.3, 1 - moved / 200));
    },
    pointerup: (event) => {
      if (event.pointerId !== start?.pointerId) return;
      const moved = distancePx(event, start);
      const speed = moved / Math.max(1, event.timeStamp - start.timeStamp);
      release(moved > SWIPE_PX || (moved > FLICK_PX && speed > FLICK_PX_PER_MS));
    },
    pointercancel: (event) => {
      if (event.pointerId === start?.pointerId) release(false);
    },
  });
}
