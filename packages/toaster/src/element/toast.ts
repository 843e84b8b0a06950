import { Countdown } from '../card/countdown.ts';
import { isOnButton, listen } from '../card/dom.ts';
import type { ToastPosition } from '../notification/notification.ts';
import type { FilledToast, ToastInput } from './input.ts';

let lastKey = 0;

/** One notification on the screen, or one that has fallen out of its pile. */
export class Toast {
  /** What the page or the tool gave. */
  input: ToastInput;
  notification: FilledToast;
  readonly position: ToastPosition;
  /** Undefined if the toast has fallen out of its pile. */
  card: HTMLElement | undefined;
  /** Names its slots: another toast can have its id while its card fades. */
  readonly key: string = String((lastKey += 1));
  /** The nodes of the page in its slots. */
  nodes: { icon?: Element | undefined; body?: Element | undefined } = {};
  #countdown: Countdown | undefined;

  constructor(input: ToastInput, notification: FilledToast) {
    this.input = input;
    this.notification = notification;
    this.position = notification.position;
  }

  get isError(): boolean {
    return this.notification.severity === 'error';
  }

  /** What weighs less falls out of a pile first: errors weigh most, then what does not close by itself. */
  get weight(): number {
    const { duration, loading } = this.notification;
    return Number(this.isError) * 2 + Number(duration === 0 || Boolean(loading));
  }

  /** Starts the time from the beginning, paused. */
  restart(onEnd: () => void): void {
    this.pause();
    const { loading, duration } = this.notification;
    this.#countdown = new Countdown(loading ? 0 : duration, onEnd);
  }

  run(): void {
    this.#countdown?.run();
  }

  pause(): void {
    this.#countdown?.pause();
  }
}

/** A release at this distance dismisses the toast. */
const SWIPE_PX = 45;
/** A fast swipe dismisses from this distance. */
const FLICK_PX = 12;
const FLICK_PX_PER_MS = 0.3;

/**
 * Lets touch and pen swipe a card to the nearest edge of the screen. A mouse selects text instead, and buttons stay
 * clickable.
 *
 * @param onChange `dragging` when a swipe starts, `released` when it ends, then `dismissed` if it was far or fast enough
 */
export function makeSwipeable(
  card: HTMLElement,
  position: ToastPosition,
  onChange: (state: 'dragging' | 'released' | 'dismissed') => void,
): void {
  const isVertical = position.endsWith('center');
  const sign = /^top-center|left$/.test(position) ? -1 : 1;
  let start: PointerEvent | undefined;

  card.style.touchAction = isVertical ? 'pan-x' : 'pan-y';
  const distancePx = ({ clientX, clientY }: PointerEvent, from: PointerEvent) =>
    Math.max(0, sign * (isVertical ? clientY - from.clientY : clientX - from.clientX));
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
      if (event.pointerType === 'mouse' || isOnButton(event) || !event.isPrimary) return;
      start = event;
      card.setPointerCapture(event.pointerId);
      onChange('dragging');
    },
    pointermove: (event) => {
      if (event.pointerId !== start?.pointerId) return;
      const moved = distancePx(event, start);
      card.style.translate = `${isVertical ? '0 ' : ''}${sign * moved}px`;
      card.style.opacity = String(Math.max(0.3, 1 - moved / 200));
    },
    pointerup: (event) => {
      if (event.pointerId !== start?.pointerId) return;
      const moved = distancePx(event, start);
      const speed = moved / (event.timeStamp - start.timeStamp);
      release(moved > SWIPE_PX || (moved > FLICK_PX && speed > FLICK_PX_PER_MS));
    },
    pointercancel: (event) => {
      if (event.pointerId === start?.pointerId) release(false);
    },
  });
}
