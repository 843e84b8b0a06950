import { listen } from '../card/dom.ts';
import {
  escapeNotification,
  type Notification,
  type NotificationContent,
} from '../notification/notification.ts';
import { readContent } from '../notification/read-notification.ts';
import type { HistoryEntry } from './center.ts';
import { ToastController } from './controller.ts';
import { ModalShelter } from './layer.ts';
import { englishLabels, fillLabel, type Labels, Settings } from './settings.ts';
import { elementStyle } from './style.ts';

/** A notification from a page or a tool. Omitted fields get the tool's defaults. */
export type ToastInput = Pick<Notification, 'message' | 'severity'> & Partial<Notification>;

type PromiseToast = Omit<Partial<ToastInput>, 'id' | 'loading'> & Pick<ToastInput, 'message'>;

/** The toasts of some work. The default severities are info, success and error. */
export interface PromiseToasts<T> {
  readonly loading: PromiseToast;
  readonly success: (value: T) => PromiseToast;
  readonly error: (reason: unknown) => PromiseToast;
}

// A server has no HTMLElement, and the module can still be imported there.
// oxlint-disable-next-line typescript/no-extraneous-class -- replaces HTMLElement
const ElementBase: typeof HTMLElement = globalThis.HTMLElement ?? class {};

/**
 * `<deskside-toaster>`: shows notifications over the page, at three positions.
 *
 * Attributes: `theme` (`auto`, `light`, `dark`; without it the page's own `color-scheme`), `hotkey` (default `F8`,
 * empty for none), `exact-durations` (toasts with actions close after their `duration` too).
 * Events: `deskside-prompt` (cancelable), `deskside-close`, `deskside-unread`.
 */
export class DesksideToaster extends ElementBase {
  readonly #settings = new Settings(this);
  readonly #controller = new ToastController(this, this.#settings);
  readonly #shelter = new ModalShelter(this);
  readonly #shownResults = new ShownResults();
  #listeners = new AbortController();
  #lastPageId = 0;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    const { announcer, layer, pauses } = this.#controller;
    root.adoptedStyleSheets = [elementStyle()];
    root.append(announcer.polite, announcer.assertive, layer.element);
    pauses.set('disconnected', true);
  }

  /** Set any of them for another language. */
  get labels(): Labels {
    return this.#settings.labels;
  }

  set labels(labels: Partial<Labels>) {
    this.#settings.labels = { ...englishLabels, ...labels };
    this.#updateRegionName();
    this.#controller.redraw();
  }

  /** The latest 50 notifications, newest first. */
  get history(): readonly HistoryEntry[] {
    return this.#controller.center.history;
  }

  /**
   * Shows a notification. If a toast has its `id`, that toast is updated. If an equal toast is shown or waits, that toast
   * counts the repetition and accepts the new id too. A notification with a `timestamp` is the result of a tool: this
   * browser shows it once, and ignores an older one with the same `id`.
   *
   * @returns the id, for `update` and `dismiss`
   * @throws InvalidNotification if the notification exceeds the tool's limits
   */
  show(input: ToastInput): string {
    // Trust boundary: the page's scripts are not type-checked against this class.
    const content = readContent({ ...input });
    const { id = `page-${(this.#lastPageId += 1)}`, timestamp } = input;
    if (timestamp !== undefined && !this.#shownResults.accept(id, timestamp)) return id;
    const notification = escapeNotification({
      id,
      ...content,
      timestamp: timestamp ?? new Date().toISOString(),
    });
    this.#shelter.update();
    const isUpdate = this.#controller.update(id, ({ id: firstId, position }) => ({
      ...notification,
      id: firstId,
      position,
    }));
    if (!isUpdate) this.#controller.show(notification);
    return id;
  }

  /**
   * Shows a toast while the work runs, then its result in the same toast.
   *
   * @returns the work
   */
  promise<T>(work: Promise<T>, { loading, success, error }: PromiseToasts<T>): Promise<T> {
    const id = this.show({ severity: 'info', ...loading, loading: true });
    work.then(
      (value) => this.show({ severity: 'success', ...success(value), id }),
      (reason: unknown) => this.show({ severity: 'error', ...error(reason), id }),
    );
    return work;
  }

  /**
   * Changes a toast in its place and restarts its time. The position can't change.
   *
   * @returns false if no toast has this id
   * @throws InvalidNotification if the result exceeds the tool's limits
   */
  update(id: string, changes: Partial<Omit<NotificationContent, 'position'>>): boolean {
    return this.#controller.update(id, (notification) => {
      const { id: firstId, position, timestamp } = notification;
      const content = readContent({ ...notification, ...changes, position });
      return escapeNotification({ id: firstId, ...content, timestamp });
    });
  }

  /** Closes a toast. @returns false if no toast has this id */
  dismiss(id: string): boolean {
    return this.#controller.dismiss(id);
  }

  /** Closes all toasts, including those that wait. The history stays. */
  dismissAll(): void {
    this.#controller.dismissAll();
  }

  /** How many notifications came since the center was open last. `deskside-unread` tells changes. */
  get unread(): number {
    return this.#controller.center.unread;
  }

  /** Opens the notification center. */
  openCenter(): void {
    this.#controller.center.open();
  }

  /** Closes the notification center. */
  closeCenter(): void {
    this.#controller.center.close();
  }

  connectedCallback(): void {
    const { pauses, layer, center } = this.#controller;
    // Libraries that hide the page behind a modal spare live regions that they find outside shadow roots.
    this.setAttribute('aria-live', 'off');
    this.#listeners = new AbortController();
    const { signal } = this.#listeners;
    listen(window, { keydown: (event) => this.#onEarlyKeyDown(event) }, { signal, capture: true });
    listen(
      document,
      {
        keydown: (event) => this.#onPageKeyDown(event),
        visibilitychange: () => pauses.set('hidden', document.hidden),
      },
      { signal },
    );
    listen(
      document,
      {
        toggle: (event) => this.#onToggle(event),
        focusin: () => this.#shelter.update(),
        pointerdown: (event) => {
          if (event.composedPath().includes(this)) return;
          layer.endTouch();
          if (center.isOpen) center.close();
        },
      },
      { signal, capture: true },
    );
    this.#updateRegionName();
    pauses.set('hidden', document.hidden);
    pauses.set('disconnected', false);
    layer.raise();
  }

  disconnectedCallback(): void {
    this.#listeners.abort();
    this.#controller.pauses.set('focus', false);
    this.#controller.pauses.set('disconnected', true);
    this.#shelter.rescue();
  }

  #updateRegionName(): void {
    const name = fillLabel(this.#settings.labels.region, { key: this.#settings.hotkey });
    this.#controller.layer.element.setAttribute('aria-label', name.replace(' ()', ''));
  }

  #onPageKeyDown(event: KeyboardEvent): void {
    const { key, ctrlKey, altKey, metaKey, shiftKey } = event;
    const { center } = this.#controller;
    if (key === 'Escape' && center.isOpen && !event.defaultPrevented) {
      event.preventDefault();
      center.close();
    }
    if (key !== this.#settings.hotkey || ctrlKey || altKey || metaKey || shiftKey) return;
    event.preventDefault();
    this.#controller.toggleFocus();
  }

  /** Escape must not close a dialog too, also not one of a library, which listens early on the document. */
  #onEarlyKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !this.#controller.closeFocused()) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The page opened or closed a dialog or popover. */
  #onToggle({ target, newState }: ToggleEvent): void {
    if (!(target instanceof HTMLElement) || !target.matches('dialog, [popover]')) return;
    const moved = this.#shelter.update();
    if (!moved && newState === 'open') this.#controller.layer.raise();
  }
}

/** Older results are dropped. */
const MAX_SHOWN_RESULTS = 500;
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
const STORAGE_KEY = 'deskside-shown';

interface ShownResult {
  /** Its timestamp, in milliseconds. */
  readonly at: number;
  /** When it was shown, in milliseconds. */
  readonly shownAt: number;
}

/**
 * The results of tools that were shown here, in this tab or another one, so that a replayed stream shows nothing twice.
 */
class ShownResults {
  /** By id. For a sandboxed frame, which has no storage, and for a storage that is full. */
  #own: ReadonlyMap<string, ShownResult> = new Map();

  /** @returns whether the result has a new id, or a known one and a newer timestamp */
  accept(id: string, timestamp: string): boolean {
    const shownAt = Date.now();
    const at = Date.parse(timestamp) || 0;
    const results = new Map([...readStoredResults(), ...this.#own]);
    const known = results.get(id);
    if (known && known.at >= at && shownAt - known.shownAt < MAX_AGE_MS) return false;
    results.delete(id);
    this.#own = new Map([...results, [id, { at, shownAt }] as const].slice(-MAX_SHOWN_RESULTS));
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify([...this.#own]));
    } catch {
      // The results last until the next reload.
    }
    return true;
  }
}

function readStoredResults(): ReadonlyMap<string, ShownResult> {
  try {
    return new Map(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]'));
  } catch {
    return new Map();
  }
}
