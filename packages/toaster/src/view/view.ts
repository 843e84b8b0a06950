import { createCard, englishCardLabels as labels, setActionState, statusOf } from '../card/card.ts';
import { Countdown } from '../card/countdown.ts';
import { create, createButton, createIcon, fill, listen } from '../card/dom.ts';
import {
  DEFAULT_DURATION_MS,
  type Notification,
  readingMs,
  type ToastAction,
} from '../notification/notification.ts';

/** An older notification comes from a conversation that is opened again. Clocks of two machines may differ by minutes. */
const MAX_LIVE_AGE_MS = 10 * 60_000;

/** Then a reader that walks through the page does not find the text twice. */
const ANNOUNCEMENT_MS = 10_000;
/** The next result of the same work is in another frame: this one does not learn how the work ends. */
const MAX_LOADING_MS = 60_000;

/**
 * Shows one notification in the chat: a card while its time runs, one line afterwards.
 *
 * @param region a live region beside it: a notification is announced once, without its buttons
 * @param send asks the host to send a prompt; resolves to whether the host accepted it
 */
export function createView(
  root: HTMLElement,
  region: HTMLElement,
  send: (prompt: string) => Promise<boolean>,
) {
  const states = new Map<ToastAction, string | undefined>();
  let countdown: Countdown | undefined;
  let isHovered = false;
  let shown: Notification | undefined;

  /** The time runs unless the person reads the card or does not see it. */
  function run(): void {
    if (isHovered || root.matches(':focus-within') || document.hidden) countdown?.pause();
    else countdown?.run();
  }

  // A finger leaves, and the style :hover stays.
  function onPointer({ type }: Event): void {
    isHovered = type === 'pointerenter';
    run();
  }

  listen(root, { pointerenter: onPointer, pointerleave: onPointer, focusin: run, focusout: run });
  listen(document, { visibilitychange: run });

  function stop(): void {
    countdown?.pause();
    countdown = undefined;
  }

  function announce(text: string): void {
    region.textContent = text;
    setTimeout(() => fill(region), ANNOUNCEMENT_MS);
  }

  function createText(text: string): HTMLElement {
    announce(text);
    return create('p', { class: 'line' }, text);
  }

  function showText(text: string): void {
    stop();
    shown = undefined;
    fill(root, createText(text));
  }

  /** @param notification with its texts escaped */
  function show(notification: Notification): void {
    stop();
    const { title, message, duration, loading, timestamp } = notification;
    const durationMs = duration === DEFAULT_DURATION_MS ? readingMs(notification) : duration;
    const timeMs = loading ? MAX_LOADING_MS : durationMs;
    if (timeMs > 0 && Date.now() - Date.parse(timestamp) > MAX_LIVE_AGE_MS) return showLine(notification);
    showCard(notification);
    announce(`${statusOf(notification, labels)} ${title ? `${title}. ` : ''}${message}`);
    countdown = new Countdown(timeMs, collapse);
    return run();
  }

  /** Collapses the card, if there is one. */
  function collapse(): void {
    if (shown) showLine(shown);
  }

  function showCard(notification: Notification): HTMLElement {
    const card = createCard({
      notification,
      labels,
      stateOf: (action) => states.get(action),
      onAction: (action, button) => void perform(notification, action, button),
      onClose: () => showLine(notification),
    });
    fill(root, card);
    shown = notification;
    return card;
  }

  /** What is collapsed has no spinner any more. */
  function showLine({ loading: _loading, ...notification }: Notification): void {
    stop();
    const { severity, title, message } = notification;
    const line = createButton(
      { class: `line ${severity}`, 'aria-expanded': 'false' },
      // The button goes away with its focus, which the card takes.
      () => showCard(notification).focus(),
      create('span', { class: 'icon' }, createIcon(severity)),
      create('span', { class: 'unseen' }, `${statusOf(notification, labels)} `),
      create('span', { class: 'ellipsis', dir: 'auto' }, title ? `${title}: ${message}` : message),
    );
    fill(root, line);
    shown = undefined;
  }

  async function perform(notification: Notification, action: ToastAction, button: Element) {
    if (action.action !== 'prompt') return showLine(notification);
    const setState = (state?: string) => {
      states.set(action, state);
      setActionState(button, state);
    };
    stop();
    setState(labels.sending);
    if (await send(action.prompt)) {
      setState(labels.sent);
      return showLine(notification);
    }
    setState();
    return root.append(createText(`The chat did not accept: “${action.prompt}”`));
  }

  return { show, showText, collapse };
}
