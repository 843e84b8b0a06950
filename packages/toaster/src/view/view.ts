import { createCard, englishCardLabels as labels, setActionState } from '../card/card.ts';
import { Countdown } from '../card/countdown.ts';
import { create, createButton, createIcon } from '../card/dom.ts';
import type { Notification, NotificationAction } from '../notification/notification.ts';

/** An older notification comes from a conversation that is opened again. Clocks of two machines may differ by minutes. */
const MAX_LIVE_AGE_MS = 10 * 60_000;

/** One notification in the chat: a card while its time runs, one line afterwards. */
export class NotificationView {
  readonly #root: HTMLElement;
  readonly #send: (prompt: string) => Promise<boolean>;
  readonly #states = new Map<NotificationAction, string | undefined>();
  #countdown: Countdown | undefined;
  #isHovered = false;

  /** @param send asks the host to send a prompt; resolves to whether the host accepted it */
  constructor(root: HTMLElement, send: (prompt: string) => Promise<boolean>) {
    this.#root = root;
    this.#send = send;
    for (const type of ['pointerenter', 'pointerleave', 'focusin', 'focusout']) {
      root.addEventListener(type, () => {
        // A finger leaves, and the style :hover stays.
        if (type.startsWith('pointer')) this.#isHovered = type === 'pointerenter';
        this.#run();
      });
    }
    document.addEventListener('visibilitychange', () => this.#run());
  }

  /** @param notification with its texts escaped */
  show(notification: Notification): void {
    this.stop();
    const { duration } = notification;
    const ageMs = Date.now() - Date.parse(notification.timestamp);
    if (duration > 0 && ageMs > MAX_LIVE_AGE_MS) return this.#showLine(notification);
    this.#showCard(notification);
    this.#countdown = new Countdown(duration, () => this.#showLine(notification));
    this.#run();
  }

  showText(text: string): void {
    this.stop();
    this.#root.replaceChildren(create('p', { class: 'line' }, text));
  }

  /** The time runs unless the person reads the card or does not see it. */
  #run(): void {
    if (this.#isHovered || this.#root.matches(':focus-within') || document.hidden) this.#countdown?.pause();
    else this.#countdown?.run();
  }

  stop(): void {
    this.#countdown?.pause();
    this.#countdown = undefined;
  }

  #showCard(notification: Notification): void {
    const card = createCard({
      notification,
      labels,
      stateOf: (action) => this.#states.get(action),
      onAction: (action, button) => void this.#perform(notification, action, button),
      onClose: () => this.#showLine(notification),
    });
    this.#root.replaceChildren(card);
  }

  /** The button goes away with its focus, which the card takes. */
  #expand(notification: Notification): void {
    this.#showCard(notification);
    this.#root.querySelector<HTMLElement>('.card')?.focus();
  }

  #showLine(notification: Notification): void {
    this.stop();
    const { severity, title, message } = notification;
    const text = title === undefined ? message : `${title}: ${message}`;
    const line = createButton(
      { class: `line ${severity}`, 'aria-expanded': 'false' },
      () => this.#expand(notification),
      create('span', { class: 'icon' }, createIcon(severity)),
      create('span', { class: 'unseen' }, `${labels[severity]}: `),
      create('span', { class: 'ellipsis', dir: 'auto' }, text),
    );
    this.#root.replaceChildren(line);
  }

  async #perform(notification: Notification, action: NotificationAction, button: Element): Promise<void> {
    if (action.action === 'dismiss') return this.#showLine(notification);
    const setState = (state: string | undefined) => {
      this.#states.set(action, state);
      setActionState(button, state);
    };
    this.stop();
    setState(labels.sending);
    if (await this.#send(action.prompt)) {
      setState(labels.sent);
      return this.#showLine(notification);
    }
    setState(undefined);
    this.#root.append(create('p', { class: 'line' }, `The chat did not accept: “${action.prompt}”`));
  }
}
