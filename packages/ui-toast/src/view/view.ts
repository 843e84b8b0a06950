import { createCard } from '../card/card.ts';
import { create, createButton } from '../card/create.ts';
import { icon } from '../card/icons.ts';
import { englishCardLabels as labels } from '../card/labels.ts';
import { Countdown } from '../element/countdown.ts';
import { type PauseReason, Pauses } from '../element/pauses.ts';
import type { Notification, NotificationAction } from '../notification/notification.ts';

/** Milliseconds after which an answer that is handed over is a conversation read again, not news. */
const NEWS_MS = 60_000;

/** One notification in the chat: a card while it has time, one line afterwards, never a hole. */
export class View {
  readonly #root: HTMLElement;
  readonly #send: (prompt: string) => Promise<boolean>;
  readonly #pauses = new Pauses((paused) => (paused ? this.#countdown?.pause() : this.#countdown?.run()));
  #countdown: Countdown | undefined;

  /** @param send offers a prompt to the chat. @returns whether the host took it */
  constructor(root: HTMLElement, send: (prompt: string) => Promise<boolean>) {
    this.#root = root;
    this.#send = send;
    const pauses = this.#pauses;
    const hold = (type: string, reason: PauseReason, holds: boolean) =>
      root.addEventListener(type, () => pauses.set(reason, holds));
    hold('pointerenter', 'hover', true);
    hold('pointerleave', 'hover', false);
    hold('focusin', 'focus', true);
    hold('focusout', 'focus', false);
    document.addEventListener('visibilitychange', () => pauses.set('hidden', document.hidden));
  }

  say(text: string): void {
    this.stop();
    this.#root.replaceChildren(create('p', { class: 'line' }, text));
  }

  stop(): void {
    this.#countdown?.pause();
    this.#countdown = undefined;
  }

  /** @param notification its texts plain */
  show(notification: Notification): void {
    this.stop();
    const { duration } = notification;
    const age = Date.now() - Date.parse(notification.timestamp);
    if (duration > 0 && age > NEWS_MS) return this.#fold(notification);
    this.#unfold(notification);
    this.#countdown = new Countdown(duration, () => this.#fold(notification));
    if (!this.#pauses.paused) this.#countdown.run();
  }

  #unfold(notification: Notification): void {
    const card = createCard({
      notification,
      labels,
      onAction: (action) => void this.#act(notification, action),
      onClose: () => this.#fold(notification),
    });
    this.#root.replaceChildren(card);
  }

  #fold(notification: Notification): void {
    this.stop();
    const { severity, title, message } = notification;
    const text = title === undefined ? message : `${title}: ${message}`;
    const attributes = { class: `line ${severity}`, 'aria-expanded': 'false' };
    const line = createButton(
      attributes,
      () => this.#unfold(notification),
      create('span', { class: 'icon' }, icon(severity)),
      create('span', { class: 'unseen' }, `${labels[severity]}: `),
      create('span', { class: 'ellipsis', dir: 'auto' }, text),
    );
    this.#root.replaceChildren(line);
  }

  async #act(notification: Notification, action: NotificationAction): Promise<void> {
    if (action.action === 'dismiss') return this.#fold(notification);
    this.stop();
    if (await this.#send(action.prompt)) this.#fold(notification);
    else this.#root.append(create('p', { class: 'line' }, `The chat did not take it: “${action.prompt}”`));
  }
}
