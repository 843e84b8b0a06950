import type { NotificationAction, NotificationContent, Severity } from '../notification/notification.ts';
import { create, createButton, createIcon, fill, setAttributes } from './dom.ts';

/** The words on a card. */
export type CardLabels = Readonly<Record<Severity | 'close' | 'sending' | 'sent' | 'loading', string>>;

export const englishCardLabels: CardLabels = {
  info: 'Information',
  success: 'Success',
  warning: 'Warning',
  error: 'Error',
  close: 'Close',
  sending: 'Sending…',
  sent: 'Sent',
  loading: 'In progress',
};

export interface CardContent {
  /** With its texts escaped: they are shown unchanged. */
  readonly notification: NotificationContent;
  readonly labels: CardLabels;
  /** Below the message. */
  readonly note?: HTMLElement | undefined;
  /** Beside the close button. */
  readonly badge?: HTMLElement | undefined;
  /** The text of an action's state. An action with a state ignores clicks: a prompt is sent once. */
  readonly stateOf: (action: NotificationAction) => string | undefined;
  readonly onAction: (action: NotificationAction, button: Element, event: MouseEvent) => void;
  /** Without it the card has no close button. */
  readonly onClose?: () => void;
}

/** Creates a notification's card. `fillCard` replaces its content. */
export function createCard(content: CardContent): HTMLElement {
  const card = create('article', { tabindex: '-1' });
  fillCard(card, content);
  return card;
}

export function fillCard(card: HTMLElement, content: CardContent): void {
  const { notification, labels, note, badge, onClose } = content;
  const { severity, title, message, loading } = notification;
  const status = labels[loading ? 'loading' : severity];
  const buttons = createActionButtons(content);
  setAttributes(card, { class: `card ${severity}`, 'aria-label': `${status}: ${title ?? message}` });
  fill(
    card,
    create('span', { class: loading ? 'icon loading' : 'icon' }, createIcon(loading ? 'loading' : severity)),
    create(
      'div',
      { class: 'text' },
      create('span', { class: 'unseen' }, `${status}: `),
      title && create('p', { class: 'title', dir: 'auto' }, title),
      create('p', { class: 'message', dir: 'auto' }, message),
      note,
    ),
    badge,
    onClose && createButton({ class: 'close', 'aria-label': labels.close }, onClose, createIcon('close')),
    buttons.length > 0 && create('div', { class: 'actions' }, ...buttons),
  );
}

/** The button shows the whole prompt that a click sends: a label alone could promise something else. */
function createActionButtons(content: CardContent): HTMLElement[] {
  const { notification, stateOf, onAction } = content;
  const primary = notification.actions?.find(({ action }) => action === 'prompt');
  return (notification.actions ?? []).map((action) => {
    const prompt =
      action.action === 'prompt' && create('span', { class: 'sends', dir: 'auto' }, action.prompt);
    const label = create('span', { class: 'label', dir: 'auto' }, action.label);
    const button = createButton(
      { class: `action ${action.action}${action === primary ? ' primary' : ''}` },
      (event) => stateOf(action) ?? onAction(action, button, event),
      label,
      prompt,
    );
    setActionState(button, stateOf(action));
    return button;
  });
}

export function setActionState(button: Element, state: string | undefined): void {
  button.querySelector('.state')?.remove();
  button.setAttribute('aria-disabled', String(Boolean(state)));
  if (state) button.append(create('span', { class: 'state' }, state));
}
