import { createCard } from '../card/card.ts';
import { create, createButton } from '../card/create.ts';
import { icon } from '../card/icons.ts';
import type { Labels } from './labels.ts';
import type { Notification, NotificationAction } from '../notification/notification.ts';
import { counter } from './counter.ts';
import type { HistoryEntry } from './history.ts';

export interface CentreHandlers {
  readonly onAction: (notification: Notification, action: NotificationAction) => void;
  readonly onClear: () => void;
  readonly onClose: () => void;
}

/** The notification centre: all that came lately, with actions that still work. */
export class Centre {
  readonly panel: HTMLElement = create('section', {
    class: 'centre',
    role: 'dialog',
    tabindex: '-1',
    hidden: '',
  });
  readonly #handlers: CentreHandlers;

  constructor(handlers: CentreHandlers) {
    this.#handlers = handlers;
  }

  get isOpen(): boolean {
    return !this.panel.hidden;
  }

  open(entries: readonly HistoryEntry[], labels: Labels): void {
    this.panel.hidden = false;
    this.fill(entries, labels);
  }

  close(): void {
    this.panel.hidden = true;
    this.panel.replaceChildren();
  }

  /** Draws the list, if it is to be seen. */
  fill(entries: readonly HistoryEntry[], labels: Labels): void {
    if (!this.isOpen) return;
    const { onClear, onClose } = this.#handlers;
    this.panel.setAttribute('aria-label', labels.centre);
    this.panel.replaceChildren(
      create(
        'header',
        {},
        create('h2', {}, labels.centre),
        createButton({ class: 'clear' }, onClear, labels.clear),
        createButton({ class: 'close', 'aria-label': labels.closeCentre }, onClose, icon('close')),
      ),
      entries.length === 0
        ? create('p', { class: 'empty' }, labels.empty)
        : create('ol', {}, ...entries.map((entry) => create('li', {}, this.#card(entry, labels)))),
    );
  }

  #card({ notification, count, at }: HistoryEntry, labels: Labels): HTMLElement {
    const time = create('time', { class: 'time', datetime: at.toISOString() }, at.toLocaleTimeString());
    // There is nothing to dismiss here.
    const actions = notification.actions?.filter(({ action }) => action === 'prompt') ?? [];
    return createCard({
      notification: { ...notification, actions },
      labels,
      note: time,
      badge: counter(count, labels),
      onAction: (action) => this.#handlers.onAction(notification, action),
    });
  }
}
