import type { Severity, ToastAction } from '../notification/notification.ts';
import type { ToastContent } from './content.ts';
import { create, createButton, createIcon, fill, setAttributes } from './dom.ts';

/** The words on a card. */
export type CardLabels = Readonly<
  Record<Severity | 'close' | 'sending' | 'sent' | 'loading' | 'ended', string>
>;

export const englishCardLabels: CardLabels = {
  info: 'Information',
  success: 'Success',
  warning: 'Warning',
  error: 'Error',
  close: 'Close',
  sending: 'Sending…',
  sent: 'Sent',
  loading: 'In progress',
  ended: 'Ended without a result',
};

/** What a card shows of a toast. */
export type CardNotification = Omit<ToastContent, 'id' | 'timestamp' | 'position' | 'duration'>;

export interface CardContent {
  /** With its texts escaped: they are shown unchanged. */
  readonly notification: CardNotification;
  readonly labels: CardLabels;
  /** Below the message. */
  readonly note?: HTMLElement;
  /** The text of an action's state. An action with a state ignores clicks: a prompt is sent once. */
  readonly stateOf: (action: ToastAction) => string | undefined;
  readonly onAction: (action: ToastAction, button: Element, event: MouseEvent) => void;
  /** Without it the card has no close button. */
  readonly onClose?: () => void;
}

/** The words that name the state of a notification, on its card and when it is announced. */
export function statusOf({ severity, loading }: CardNotification, labels: CardLabels): string {
  return `${labels[loading ? 'loading' : severity]}:`;
}

/** Creates a notification's card. `fillCard` replaces its content. */
export function createCard(content: CardContent): HTMLElement {
  const card = create('article', { tabindex: '-1' });
  fillCard(card, content);
  return card;
}

export function fillCard(card: HTMLElement, content: CardContent): void {
  const { notification, labels, note, onClose } = content;
  const { severity, title, message, loading, ended, icon, body } = notification;
  const status = statusOf(notification, labels);
  const buttons = createActionButtons(content);
  setAttributes(card, { class: `card ${severity}`, 'aria-label': `${status} ${title || message}` });
  fill(
    card,
    create(
      'span',
      { class: loading ? 'icon loading' : 'icon' },
      icon ?? createIcon(loading ? 'loading' : severity),
    ),
    create(
      'div',
      { class: 'text' },
      create('span', { class: 'unseen' }, `${status} `),
      title && create('p', { class: 'title', dir: 'auto' }, title),
      body ?? create('p', { class: 'message', dir: 'auto' }, message),
      ended && create('p', { class: 'time' }, labels.ended),
      note,
    ),
    onClose && createButton({ class: 'close', 'aria-label': labels.close }, onClose, createIcon('close')),
    buttons.length > 0 && create('div', { class: 'actions' }, ...buttons),
  );
}

/** The button shows the whole prompt that a click sends: a label alone could promise something else. */
function createActionButtons(content: CardContent): HTMLElement[] {
  const { notification, stateOf, onAction } = content;
  const primary = notification.actions?.find(({ action }) => action !== 'dismiss');
  return (notification.actions ?? []).map((action) => {
    const prompt =
      action.action === 'prompt' && create('span', { class: 'sends', dir: 'auto' }, action.prompt);
    const label = create('span', { class: 'label', dir: 'auto' }, action.label);
    const button = createButton(
      { class: `action ${action.action ?? ''}${action === primary ? ' primary' : ''}` },
      (event) => stateOf(action) ?? ((prompt && unfold(prompt)) || onAction(action, button, event)),
      label,
      prompt,
    );
    setActionState(button, stateOf(action));
    return button;
  });
}

/** Shows the whole prompt. @returns whether a part of it was hidden: a person must see what a click sends */
function unfold(prompt: HTMLElement): boolean {
  const isCut = prompt.scrollHeight > prompt.clientHeight;
  prompt.classList.add('whole');
  return isCut;
}

export function setActionState(button: Element, state: string | undefined): void {
  button.querySelector('.state')?.remove();
  button.setAttribute('aria-disabled', String(Boolean(state)));
  if (state) button.append(create('span', { class: 'state' }, state));
}
