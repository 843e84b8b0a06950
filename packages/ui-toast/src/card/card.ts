import type { NotificationAction, NotificationContent } from '../notification/notification.ts';
import { create, createButton, fill } from './create.ts';
import { icon } from './icons.ts';
import type { CardLabels } from './labels.ts';

export interface CardContent {
  /** Its texts as they are shown: plain. */
  readonly notification: NotificationContent;
  readonly labels: CardLabels;
  /** Stands under the message. */
  readonly note?: HTMLElement | undefined;
  /** Stands in the corner. */
  readonly badge?: HTMLElement | undefined;
  readonly onAction: (action: NotificationAction, event: MouseEvent) => void;
  /** Without it the card has no close button. */
  readonly onClose?: () => void;
}

/** A notification as an element; `fillCard` puts other content into it. */
export function createCard(content: CardContent): HTMLElement {
  const card = create('article', { tabindex: '-1' });
  fillCard(card, content);
  return card;
}

export function fillCard(card: HTMLElement, content: CardContent): void {
  const { notification, labels, note, badge, onClose } = content;
  const { severity, title, message } = notification;
  const buttons = actionButtons(content);
  for (const name of ['class', 'part']) card.setAttribute(name, `card ${severity}`);
  card.setAttribute('aria-label', `${labels[severity]}: ${title ?? message}`);
  fill(
    card,
    create('span', { class: 'icon' }, icon(severity)),
    create(
      'div',
      { class: 'text' },
      create('span', { class: 'unseen' }, `${labels[severity]}: `),
      title === undefined ? undefined : create('p', { class: 'title', dir: 'auto' }, title),
      create('p', { class: 'message', dir: 'auto' }, message),
      note,
    ),
    badge,
    onClose && createButton({ class: 'close', 'aria-label': labels.close }, onClose, icon('close')),
    buttons.length > 0 ? create('div', { class: 'actions' }, ...buttons) : undefined,
  );
}

/** What a click would send stands on the button: a label alone could promise something else. */
function actionButtons({ notification: { actions = [] }, onAction }: CardContent): HTMLElement[] {
  return actions.map((action) => {
    const prompt =
      action.action === 'prompt' ? create('span', { class: 'sends', dir: 'auto' }, action.prompt) : undefined;
    const label = create('span', { class: 'label', dir: 'auto' }, action.label);
    const attributes = { class: `action ${action.action}` };
    return createButton(attributes, (event) => onAction(action, event), label, prompt);
  });
}
