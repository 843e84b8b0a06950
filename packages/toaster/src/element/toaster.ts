import { ToolResults } from '../results/tool-results.ts';
import { listen, setAttributes } from '../card/dom.ts';
import type { HistoryEntry } from './center.ts';
import { ToastController } from './controller.ts';
import type { ToastInput } from './input.ts';
import { keepPresses } from './presses.ts';
import { fillLabel, type Labels, Settings } from './settings.ts';
import { Shelter } from './shelter.ts';
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
  readonly #shelter = new Shelter(this);
  readonly #results = new ToolResults<ToastInput & { readonly id: string }>({
    onShow: (input) => this.#show(input, input.id),
    onRecord: (input) => this.#controller.record(input, input.id),
    isShown: (id) => Boolean(this.#controller.find(id)),
  });
  #listeners = new AbortController();
  #lastPageId = 0;
  /** What was before it when the page called `remove`. */
  #beside: Node | null = null;
  /** The frame in which it was removed last. */
  #leftAt: CSSNumberish | null = null;

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
    this.#settings.labels = labels;
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
    const id = input.id || `page-${(this.#lastPageId += 1)}`;
    if (input.timestamp) this.#results.add({ ...input, id });
    else this.#show(input, id);
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
    const end =
      <Value>(severity: 'success' | 'error', given: EndToast<Value> = '') =>
      async (value: Value) => {
        let toast = toastOf(value instanceof Error ? value.message : '');
        try {
          const own = toastOf(typeof given === 'function' ? await given(value) : given);
          toast = { ...own, message: own.message || toast.message };
        } catch {
          // A mistake in the function must not leave the spinner.
        }
        this.show({ severity, ...toast, id });
      };
    promise.then(end('success', success), end('error', error));
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
    setAttributes(this, { 'aria-live': 'off' });
    this.#listeners = new AbortController();
    const { signal } = this.#listeners;
    keepPresses(this, signal);
    // Before libraries, which listen early on the document.
    listen(window, { keydown: (event) => this.#onKey(event) }, { signal, capture: true });
    const keydown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !center.isOpen || event.defaultPrevented) return;
      event.preventDefault();
      center.close();
    };
    listen(document, { keydown }, { signal });
    // A finger does not move before it presses.
    const reach = (event: PointerEvent) => {
      if (this.#shelter.isBlocked) this.#shelter.reachFor(layer.hasAt(event) || this.#controller.hasFocus);
    };
    listen(
      document,
      {
        // Reopening the layer would take focus out of it.
        toggle: ({ newState }) => this.#onPageChange(newState === 'open' && !this.#controller.hasFocus),
        fullscreenchange: () => {
          this.#shelter.reachFor(false);
          this.#onPageChange(true);
        },
        focusin: () => this.#onPageChange(false),
        visibilitychange: () => this.#onVisibility(),
        pointerdown: (event) => {
          reach(event);
          if (event.composedPath().includes(this)) return;
          layer.endTouch();
          if (center.isOpen) center.close();
        },
        pointermove: reach,
      },
      { signal, capture: true },
    );
    this.#updateRegionName();
    this.#onVisibility();
    pauses.set('disconnected', false);
    layer.raise();
    this.#controller.recover();
    connected.add(this);
  }

  disconnectedCallback(): void {
    this.#listeners.abort();
    this.#controller.pauses.set('disconnected', true);
    const { currentTime } = document.timeline;
    const comeBack = () => {
      // The page has removed nothing else: it means it.
      if (this.#beside?.parentNode) this.#shelter.forget();
      this.#beside = null;
      if (!this.#shelter.rescue()) connected.delete(this);
    };
    if (!this.#shelter.isAway) connected.delete(this);
    // Not at once: the page may be removing everything, one by one, or whenever it comes.
    else (currentTime === this.#leftAt ? requestAnimationFrame : queueMicrotask)(comeBack);
    this.#leftAt = currentTime;
  }

  /** Removes the element, also from a dialog. It comes back if all that is in the dialog is removed so. */
  override remove(): void {
    this.#beside = this.previousSibling;
    connected.delete(this);
    super.remove();
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

  #onKey(event: KeyboardEvent): void {
    const { key, ctrlKey, altKey, metaKey, shiftKey, repeat } = event;
    if (key === 'Escape' && this.#controller.closeFocused()) {
      // A dialog must not close too.
      event.stopPropagation();
    } else if (key === this.#settings.hotkey && !(ctrlKey || altKey || metaKey || shiftKey || repeat)) {
      this.#shelter.reachFor(true);
      this.#controller.toggleFocus();
    } else return;
    event.preventDefault();
    this.#shelter.reachFor(this.#controller.hasFocus);
  }

  /** The page opened or closed a dialog or popover, or is in fullscreen. @param isOver over the layer */
  #onPageChange(isOver: boolean): void {
    if (this.#shelter.update() || !isOver) return;
    this.#controller.layer.raise();
    this.#controller.recover();
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
  return typeof toast === 'object' ? toast : { message: toast };
}
