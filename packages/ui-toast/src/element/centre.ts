import { createCard } from '../card/card.ts';
import { create, createButton } from '../card/create.ts';
import { icon } from '../card/icons.ts';
import type { Labels } from './labels.ts';
import type { Notification, NotificationAction } from '../notification/notification.ts';
import { counter } from './counter.ts';
import { History, type HistoryEntry } from './history.ts';

export interface CentreHandlers {
  readonly labels: () => Labels;
  readonly onAction: (notification: Notification, action: NotificationAction) => void;
  readonly onClose: () => void;
}

/** The notification centre: all that came lately, gone or not, with actions that still work. */
export class Centre {
  readonly panel: HTMLElement = create('section', {
    class: 'centre',
    role: 'dialog',
    tabindex: '-1',
    hidden: '',
  });
  readonly #handlers: CentreHandlers;
  readonly #history = new History();

  constructor(handlers: CentreHandlers) {
    this.#handlers = handlers;
  }

  get isOpen(): boolean {
    return !this.panel.hidden;
  }

  get entries(): readonly HistoryEntry[] {
    return this.#history.entries;
  }

  put(notification: Notification, count: number): void {
    this.#history.put(notification, count);
    this.#draw();
  }

  open(): void {
    this.panel.hidden = false;
    this.#draw();
  }

  close(): void {
    this.panel.hidden = true;
    this.panel.replaceChildren();
  }

  #clear(): void {
    this.#history.clear();
    this.#draw();
  }

  #draw(): void {
    if (!this.isOpen) return;
    const { entries } = this;
    const { onClose } = this.#handlers;
    const labels = this.#handlers.labels();
    this.panel.setAttribute('aria-label', labels.centre);
    this.panel.replaceChildren(
      create(
        'header',
        {},
        create('h2', {}, labels.centre),
        createButton({ class: 'clear' }, () => this.#clear(), labels.clear),
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
