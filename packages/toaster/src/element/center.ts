import { type CardContent, createCard } from '../card/card.ts';
import { create, createButton, createIcon, fill } from '../card/dom.ts';
import type { ToastAction } from '../notification/notification.ts';
import type { ToastContent } from '../card/content.ts';
import { focusSame, type LayerFocus } from './focus.ts';
import type { ToastLayer } from './layer.ts';
import type { Settings } from './settings.ts';

/** How often the times are written again. */
const CLOCK_MS = 30_000;
/** Older entries are dropped. */
const MAX_HISTORY_ENTRIES = 50;

export interface HistoryEntry {
  readonly notification: ToastContent;
  /** When it came last. */
  readonly at: Date;
  /** Whether the center was not open since then. */
  readonly unread: boolean;
}

export interface NotificationCenterOptions {
  readonly settings: Settings;
  readonly layer: ToastLayer;
  readonly focus: LayerFocus;
  readonly stateOf: CardContent['stateOf'];
  readonly onUnread: (count: number) => void;
  readonly onAction: (notification: ToastContent, action: ToastAction, button: Element) => void;
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
  readonly #clearButton = createButton({ class: 'clear' }, () => this.#clear());
  readonly #list: HTMLElement = create('ol');
  #history: readonly HistoryEntry[] = [];
  #clock: ReturnType<typeof setInterval> | undefined;
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

  get unread(): number {
    return this.isOpen ? 0 : this.#history.filter(({ unread }) => unread).length;
  }

  /** Whether the center was not open since this notification came. */
  isUnread(id: string): boolean {
    return !this.isOpen && this.#history.some((entry) => entry.unread && entry.notification.id === id);
  }

  /** Puts a notification on top; an entry with the same id is replaced. */
  record(notification: ToastContent): void {
    const others = this.#history.filter((entry) => entry.notification.id !== notification.id);
    const before = this.unread;
    const entry = { notification, at: new Date(), unread: !this.isOpen };
    this.#history = [entry, ...others].slice(0, MAX_HISTORY_ENTRIES);
    if (before !== this.unread) this.#options.onUnread(this.unread);
    this.#drawEntries();
  }

  /** Draws entries again whose actions have another state. @param id without it everything, with new labels */
  redraw(id?: string): void {
    this.#history = this.#history.map((entry) =>
      !id || entry.notification.id === id ? { ...entry } : entry,
    );
    if (!id && this.isOpen) this.#draw();
    else this.#drawEntries();
  }

  open(): void {
    this.#panel.hidden = false;
    this.#draw();
    this.#options.onUnread(0);
    clearInterval(this.#clock);
    this.#clock = setInterval(() => this.#writeTimes(), CLOCK_MS);
    this.#options.layer.raise();
    this.#options.focus.enter(this.#panel);
  }

  close(): void {
    if (!this.isOpen) return;
    const { layer, focus } = this.#options;
    const { hasFocus } = this;
    clearInterval(this.#clock);
    this.#history = this.#history.map((entry) => ({ ...entry, unread: false }));
    this.#panel.hidden = true;
    this.#panel.replaceChildren();
    focus.check();
    layer.closeIfEmpty();
    if (hasFocus) focus.restore();
  }

  #clear(): void {
    this.#history = [];
    this.#panel.focus();
    this.#drawEntries();
  }

  #remove(entry: HistoryEntry): void {
    const item = this.#items.get(entry);
    const near = item?.nextElementSibling ?? item?.previousElementSibling;
    this.#history = this.#history.filter((other) => other !== entry);
    (near?.querySelector<HTMLElement>('.close') ?? this.#panel).focus();
    this.#drawEntries();
  }

  #writeTimes(): void {
    // Making a format takes longer than drawing an entry.
    const format = relativeFormat(document.documentElement.lang || undefined);
    for (const [{ at }, item] of this.#items) {
      const time = item.querySelector('time');
      if (time) time.textContent = relativeTime(at, format);
    }
  }

  #draw(): void {
    const { labels } = this.#options.settings;
    const close = createButton(
      { class: 'close', 'aria-label': labels.closeCenter },
      () => this.close(),
      createIcon('close'),
    );
    this.#panel.setAttribute('aria-label', labels.center);
    this.#clearButton.textContent = labels.clear;
    fill(
      this.#panel,
      create('header', {}, create('h2', {}, labels.center), this.#clearButton, close),
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
    this.#clearButton.hidden = !this.#empty.hidden;
    this.#writeTimes();
    if (!focused || focused.isConnected) return;
    const entry = this.#history.find(({ notification }) => notification.id === id);
    const card = entry && this.#items.get(entry)?.querySelector('article');
    if (card) focusSame(focused, card);
    else this.#panel.focus();
  }

  #createCard(entry: HistoryEntry): HTMLElement {
    const { notification, at, unread } = entry;
    const { settings, stateOf, onAction } = this.#options;
    const { icon: _icon, body: _body, actions = [], ...texts } = notification;
    const prompts = actions.filter(({ action }) => action === 'prompt');
    const card = createCard({
      notification: { ...texts, actions: prompts },
      labels: settings.labels,
      note: create('time', { class: 'time', datetime: at.toISOString(), title: at.toLocaleString() }),
      stateOf,
      onAction: (action, button) => onAction(notification, action, button),
      onClose: () => this.#remove(entry),
    });
    card.classList.toggle('unread', unread);
    return card;
  }
}

const UNIT_MINUTES = [
  ['day', 1440],
  ['hour', 60],
  ['minute', 1],
] as const;

/** In the past: "now", "5 minutes ago". */
function relativeTime(at: Date, format: Intl.RelativeTimeFormat): string {
  const minutes = Math.floor((Date.now() - at.getTime()) / 60_000);
  const [unit, size] = UNIT_MINUTES.find(([, unitMinutes]) => minutes >= unitMinutes) ?? ['second', Infinity];
  return format.format(-Math.floor(minutes / size), unit);
}

function relativeFormat(locale?: string): Intl.RelativeTimeFormat {
  try {
    return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  } catch {
    // A page may name its language in another way, for example en_US.
    return relativeFormat();
  }
}
