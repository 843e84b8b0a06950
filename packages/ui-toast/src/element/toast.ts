import { createCard, fillCard } from '../card/card.ts';
import type { Labels } from './labels.ts';
import type { Notification, NotificationAction, Position } from '../notification/notification.ts';
import { Countdown } from './countdown.ts';
import { counter } from './counter.ts';
import type { Placed } from './lineup.ts';

export interface ToastHandlers {
  readonly onAction: (toast: Toast, action: NotificationAction, event: MouseEvent) => void;
  readonly onClose: (toast: Toast) => void;
  readonly onEnd: (toast: Toast) => void;
}

/** A notification on its way over the screen: what it says, how often it came, the time it has left. */
export class Toast implements Placed {
  notification: Notification;
  readonly position: Position;
  count = 1;
  /** `performance.now()` of its coming into view. */
  shownAt = 0;
  /** Of all the notifications that it stands for. */
  readonly #ids: Set<string>;
  /** There once it is shown. */
  card: HTMLElement | undefined;
  readonly #handlers: ToastHandlers;
  readonly #labels: () => Labels;
  #countdown: Countdown | undefined;

  constructor(notification: Notification, labels: () => Labels, handlers: ToastHandlers) {
    this.notification = notification;
    this.#ids = new Set([notification.id]);
    this.position = notification.position;
    this.#labels = labels;
    this.#handlers = handlers;
  }

  get urgent(): boolean {
    return this.notification.severity === 'error' || this.notification.duration === 0;
  }

  isNamed(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Stands for another notification of the same content too, and for the longer of their durations. */
  fold({ id, duration }: Notification): void {
    this.count += 1;
    this.#ids.add(id);
    const durations = [this.notification.duration, duration];
    this.notification = {
      ...this.notification,
      duration: durations.includes(0) ? 0 : Math.max(...durations),
    };
  }

  /** @param duration milliseconds that it is shown; 0 stays */
  show(duration: number): HTMLElement {
    this.#countdown = new Countdown(duration, () => this.#handlers.onEnd(this));
    this.shownAt = performance.now();
    this.card = createCard(this.#content());
    return this.card;
  }

  /** Draws it anew and gives it its whole time again. */
  refresh(duration: number): void {
    if (this.card === undefined) return;
    this.#countdown?.pause();
    this.#countdown = new Countdown(duration, () => this.#handlers.onEnd(this));
    const focused = [...this.card.querySelectorAll('button')].findIndex((button) => button.matches(':focus'));
    fillCard(this.card, this.#content());
    this.card.querySelectorAll('button')[focused]?.focus();
  }

  run(): void {
    this.#countdown?.run();
  }

  pause(): void {
    this.#countdown?.pause();
  }

  #content() {
    return {
      notification: this.notification,
      labels: this.#labels(),
      badge: counter(this.count, this.#labels()),
      onAction: (action: NotificationAction, event: MouseEvent) =>
        this.#handlers.onAction(this, action, event),
      onClose: () => this.#handlers.onClose(this),
    };
  }
}
