import { type CardContent, createCard } from '../card/card.ts';
import { create, createButton, createIcon, fill } from '../card/dom.ts';
import type { Notification, NotificationAction } from '../notification/notification.ts';
import { focusSame, type LayerFocus } from './focus.ts';
import type { ToastLayer } from './layer.ts';
import type { Settings } from './settings.ts';
import { createCountBadge } from './toast.ts';

/** Older entries are dropped. */
const MAX_HISTORY_ENTRIES = 50;

export interface HistoryEntry {
  readonly notification: Notification;
  /** How often the notification came. */
  readonly count: number;
  /** When it came last. */
  readonly at: Date;
}

export interface NotificationCenterOptions {
  readonly settings: Settings;
  readonly layer: ToastLayer;
  readonly focus: LayerFocus;
  readonly stateOf: CardContent['stateOf'];
  readonly onAction: (notification: Notification, action: NotificationAction, button: Element) => void;
}

/** The panel with the latest notifications, closed or not. Their prompt actions still work. */
export class NotificationCenter {
  readonly #panel: HTMLElement = create('section', {
    class: 'center',
    role: 'dialog',
    tabindex: '-1',
    hidden: '',
  });
  readonly #options: NotificationCenterOptions;
  readonly #empty: HTMLElement = create('p', { class: 'empty' });
  readonly #list: HTMLElement = create('ol');
  #history: readonly HistoryEntry[] = [];
  /** What the list shows: an entry that has not changed keeps its item, so that focus and the scroll position stay. */
  #items = new Map<HistoryEntry, HTMLElement>();

  constructor(options: NotificationCenterOptions) {
    this.#options = options;
    options.layer.element.append(this.#panel);
  }

  /** Newest first. It lives as long as the page. */
  get history(): readonly HistoryEntry[] {
    return this.#history;
  }

  get isOpen(): boolean {
    return !this.#panel.hidden;
  }

  get hasFocus(): boolean {
    return this.#panel.matches(':focus-within');
  }

  /** Puts a notification on top; an entry with the same id is replaced. */
  record(notification: Notification, count: number): void {
    const others = this.#history.filter((entry) => entry.notification.id !== notification.id);
    this.#history = [{ notification, count, at: new Date() }, ...others].slice(0, MAX_HISTORY_ENTRIES);
    this.#drawEntries();
  }

  /** Draws an entry again whose actions have another state. */
  redraw(id: string): void {
    this.#history = this.#history.map((entry) => (entry.notification.id === id ? { ...entry } : entry));
    this.#drawEntries();
  }

  open(): void {
    this.#panel.hidden = false;
    this.#draw();
    this.#options.layer.raise();
    this.#panel.focus();
  }

  close(): void {
    const { layer, focus } = this.#options;
    const { hasFocus } = this;
    this.#panel.hidden = true;
    this.#panel.replaceChildren();
    focus.check();
    layer.closeIfEmpty();
    if (hasFocus) focus.restore();
  }

  #clear(): void {
    this.#history = [];
    this.#drawEntries();
    this.#panel.focus();
  }

  #draw(): void {
    const { labels } = this.#options.settings;
    const close = createButton(
      { class: 'close', 'aria-label': labels.closeCenter },
      () => this.close(),
      createIcon('close'),
    );
    this.#panel.setAttribute('aria-label', labels.center);
    fill(
      this.#panel,
      create(
        'header',
        {},
        create('h2', {}, labels.center),
        createButton({ class: 'clear' }, () => this.#clear(), labels.clear),
        close,
      ),
      fill(this.#empty, labels.empty),
      this.#list,
    );
    this.#items.clear();
    this.#list.replaceChildren();
    this.#drawEntries();
  }

  /** Only entries that have changed are drawn again. If one of them has focus, its new item gets it. */
  #drawEntries(): void {
    if (!this.isOpen) return;
    const before = [...this.#items];
    const focused = this.#list.querySelector('button:focus');
    const id = before.find(([, item]) => item.contains(focused))?.[0].notification.id;
    this.#items = new Map(
      this.#history.map((entry) => [
        entry,
        this.#items.get(entry) ?? create('li', {}, this.#createCard(entry)),
      ]),
    );
    for (const [entry, item] of before) if (!this.#items.has(entry)) item.remove();
    let next = this.#list.firstChild;
    for (const item of this.#items.values()) {
      if (item === next) next = next.nextSibling;
      else this.#list.insertBefore(item, next);
    }
    this.#empty.hidden = this.#history.length > 0;
    if (focused === null || focused.isConnected) return;
    const entry = this.#history.find(({ notification }) => notification.id === id);
    const card = entry && this.#items.get(entry)?.querySelector('article');
    if (card) focusSame(focused, card);
    else this.#panel.focus();
  }

  #createCard({ notification, count, at }: HistoryEntry): HTMLElement {
    const { settings, stateOf, onAction } = this.#options;
    const prompts = notification.actions?.filter(({ action }) => action === 'prompt') ?? [];
    return createCard({
      notification: { ...notification, actions: prompts },
      labels: settings.labels,
      note: create('time', { class: 'time', datetime: at.toISOString() }, at.toLocaleTimeString()),
      badge: createCountBadge(count, settings.labels),
      stateOf,
      onAction: (action, button) => onAction(notification, action, button),
    });
  }
}
