import { ToolResults } from '../results/tool-results.ts';
import { listen } from '../card/dom.ts';
import type { HistoryEntry } from './center.ts';
import { ToastController } from './controller.ts';
import type { ToastInput } from './input.ts';
import { ModalShelter } from './layer.ts';
import { englishLabels, fillLabel, type Labels, Settings } from './settings.ts';
import { elementStyle } from './style.ts';

export type ToastOptions = Omit<ToastInput, 'message' | 'severity'>;

/** A message, or a whole toast. */
type PromiseToast = string | Omit<ToastInput, 'id' | 'loading'>;
/** The same, or a function that makes one of what the work returned or threw. */
type EndToast<Value> = PromiseToast | ((value: Value) => PromiseToast | Promise<PromiseToast>);

/** The toasts of some work. The default severities are info, success and error. */
export interface PromiseToasts<T> {
  readonly loading: PromiseToast;
  /** Default: the word for a success. */
  readonly success?: EndToast<T>;
  /** Default: the message of the error. */
  readonly error?: EndToast<unknown>;
}

// A server has no HTMLElement, and the module can still be imported there.
// oxlint-disable-next-line typescript/no-extraneous-class -- replaces HTMLElement
const ElementBase: typeof HTMLElement = globalThis.HTMLElement ?? class {};

/**
 * `<deskside-toaster>`: shows notifications over the page, at six positions.
 *
 * Attributes: `theme` (`auto`, `light`, `dark`; without it the page's own `color-scheme`), `hotkey` (default `F8`,
 * empty for none), `position` (of toasts without one, default `top-right`).
 * Events: `deskside-prompt` (cancelable), `deskside-close`, `deskside-unread`.
 */
export class DesksideToaster extends ElementBase {
  readonly #settings = new Settings(this);
  readonly #controller = new ToastController(this, this.#settings);
  readonly #shelter = new ModalShelter(this);
  readonly #results = new ToolResults<ToastInput & { readonly id: string }>({
    onShow: (input) => this.#show(input, input.id),
    onRecord: (input) => this.#controller.record(input, input.id),
    isShown: (id) => Boolean(this.#controller.find(id)),
  });
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
   * Shows a notification, or changes the toast with its `id`. A notification with a `timestamp` is the result of a tool:
   * each is shown once, in a visible tab, and an older one with the same `id` is ignored.
   *
   * @returns the id, for `update` and `dismiss`
   */
  show(input: ToastInput): string {
    const { id = `page-${(this.#lastPageId += 1)}`, timestamp } = input;
    if (timestamp === undefined) this.#show(input, id);
    else this.#results.add({ ...input, id });
    return id;
  }

  info(message: string, options?: ToastOptions): string {
    return this.show({ ...options, message });
  }

  success(message: string, options?: ToastOptions): string {
    return this.show({ ...options, message, severity: 'success' });
  }

  warning(message: string, options?: ToastOptions): string {
    return this.show({ ...options, message, severity: 'warning' });
  }

  error(message: string, options?: ToastOptions): string {
    return this.show({ ...options, message, severity: 'error' });
  }

  /** Shows a spinner until a toast with the same `id` comes, or `update(id, { loading: false })`. */
  loading(message: string, options?: ToastOptions): string {
    return this.show({ ...options, message, loading: true });
  }

  /**
   * Shows a toast while the work runs, then its result in the same toast.
   *
   * @param work or a function that begins it
   * @returns the work
   */
  promise<T>(
    work: Promise<T> | (() => Promise<T>),
    { loading, success, error }: PromiseToasts<T>,
  ): Promise<T> {
    const id = this.show({ ...toastOf(loading), loading: true });
    const promise = typeof work === 'function' ? new Promise<T>((resolve) => resolve(work())) : work;
    const end = async <Value>(severity: 'success' | 'error', value: Value, given: EndToast<Value> = '') => {
      const message = value instanceof Error ? value.message : '';
      // A mistake in the function must not leave the spinner.
      const toast = await Promise.resolve(value)
        .then(typeof given === 'function' ? given : () => given)
        .then(toastOf, () => toastOf(''));
      this.show({ severity, ...toast, message: toast.message || message, id });
    };
    promise.then(
      (value) => end('success', value, success),
      (reason: unknown) => end('error', reason, error),
    );
    return promise;
  }

  /**
   * Changes a toast in its place and restarts its time. The position can't change.
   *
   * @returns false if no toast has this id
   */
  update(id: string, changes: Partial<Omit<ToastInput, 'id' | 'position'>>): boolean {
    const toast = this.#controller.find(id);
    // `action` and `actions` are one option.
    const chosen = 'action' in changes && { actions: changes.action ? [changes.action] : [] };
    if (toast) this.#show({ ...toast.input, ...chosen, ...changes }, id);
    return Boolean(toast);
  }

  /** Closes a toast, or all without an id. @returns false if no toast has this id */
  dismiss(id?: string): boolean {
    if (id !== undefined) return this.#controller.dismiss(id);
    this.#controller.dismissAll();
    return true;
  }

  /** Closes all toasts. The history stays. */
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
        visibilitychange: () => this.#onVisibility(),
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
    this.#onVisibility();
    pauses.set('disconnected', false);
    layer.raise();
    connected.add(this);
  }

  disconnectedCallback(): void {
    connected.delete(this);
    this.#listeners.abort();
    this.#controller.pauses.set('focus', false);
    this.#controller.pauses.set('disconnected', true);
    this.#shelter.rescue();
  }

  #show(input: ToastInput, id: string): void {
    this.#shelter.update();
    this.#controller.show(input, id);
  }

  #onVisibility(): void {
    this.#controller.pauses.set('hidden', document.hidden);
    if (!document.hidden) this.#results.showWaiting();
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

/** The toasters in the page, also in a dialog of a shadow root. */
const connected = new Set<DesksideToaster>();

/** The page's toaster, from anywhere in its scripts. One is added to the page if it has none. */
export function getToaster(): DesksideToaster {
  const [first = document.querySelector('deskside-toaster')] = connected;
  return first ?? document.body.appendChild(document.createElement('deskside-toaster'));
}

function toastOf(toast: PromiseToast): Omit<ToastInput, 'id' | 'loading'> {
  // The function of a page without types may return nothing.
  return typeof toast === 'object' ? { ...toast } : { message: toast };
}
