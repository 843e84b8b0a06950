import type { Notification, NotificationContent } from '../notification/notification.ts';
import { readContent } from '../notification/read-content.ts';
import { plainNotification } from '../text/plain-notification.ts';
import { Board } from './board.ts';
import { elementStyle } from './element-style.ts';
import type { HistoryEntry } from './history.ts';
import { englishLabels, filled, type Labels } from './labels.ts';
import { ModalShelter } from './modal-shelter.ts';
import { SeenIds } from './seen-ids.ts';

/** A notification as a page or a tool gives it; what is left out gets the contract's defaults. */
export type ToastInput = Pick<Notification, 'message' | 'severity'> & Partial<Notification>;

// On a server there are no elements, and the module can still be imported.
// oxlint-disable-next-line typescript/no-extraneous-class -- stands in for HTMLElement
const ElementBase: typeof HTMLElement = globalThis.HTMLElement ?? class {};

/**
 * `<deskside-toaster>`: shows notifications over the page, at three positions.
 *
 * Attributes: `theme` (`auto`, `light`, `dark`; without it the page's own `color-scheme`), `hotkey` (default `F8`,
 * empty for none), `exact-durations` (toasts with actions stay no longer than they say).
 * Events: `deskside-prompt` (cancelable), `deskside-close`.
 */
export class DesksideToaster extends ElementBase {
  readonly #seen = new SeenIds();
  readonly #shelter = new ModalShelter(this);
  readonly #board: Board = new Board({
    settings: () => ({
      labels: this.#labels,
      hotkey: this.#hotkey,
      exactDurations: this.hasAttribute('exact-durations'),
    }),
    onPrompt: (detail) =>
      this.dispatchEvent(
        new CustomEvent('deskside-prompt', { detail, bubbles: true, composed: true, cancelable: true }),
      ),
    onClose: (detail) =>
      this.dispatchEvent(new CustomEvent('deskside-close', { detail, bubbles: true, composed: true })),
  });
  #labels = englishLabels;
  #listening = new AbortController();
  #shownByPage = 0;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    const { announcer, stage, pauses } = this.#board;
    root.adoptedStyleSheets = [elementStyle()];
    root.append(announcer.polite, announcer.assertive, stage.layer);
    pauses.set('away', true);
  }

  /** Words other than the English ones. */
  get labels(): Labels {
    return this.#labels;
  }

  set labels(labels: Partial<Labels>) {
    this.#labels = { ...englishLabels, ...labels };
    this.#nameRegion();
  }

  /** What was shown lately, newest first; at most 50. */
  get history(): readonly HistoryEntry[] {
    return this.#board.centre.entries;
  }

  /**
   * Shows a notification, unless one of that id was shown before in this tab.
   *
   * @returns its id, for `update` and `dismiss`; an equal toast that is there counts it and answers to its id too
   * @throws InvalidNotification where it breaks the contract's limits
   */
  show(input: ToastInput): string {
    const { id, timestamp = new Date().toISOString() } = input;
    if (id !== undefined && this.#seen.has(id)) return id;
    const content = readContent({ ...input });
    if (id !== undefined) this.#seen.add(id);
    const shownId = id ?? `page-${(this.#shownByPage += 1)}`;
    this.#shelter.settle();
    this.#board.show(plainNotification({ id: shownId, ...content, timestamp }));
    return shownId;
  }

  /**
   * Changes a toast in its place and gives it its whole time again. A position can't be changed.
   *
   * @returns false where it is gone
   * @throws InvalidNotification where the change breaks the contract's limits
   */
  update(id: string, changes: Partial<Omit<NotificationContent, 'position'>>): boolean {
    return this.#board.update(id, (notification) => {
      const { id: ownId, position, timestamp } = notification;
      const content = readContent({ ...notification, ...changes, position });
      return plainNotification({ id: ownId, ...content, timestamp });
    });
  }

  /** @returns false where it was gone already */
  dismiss(id: string): boolean {
    return this.#board.dismiss(id);
  }

  /** Every toast, those that wait too. The history stays. */
  dismissAll(): void {
    this.#board.dismissAll();
  }

  openCentre(): void {
    this.#board.navigation.openCentre();
  }

  closeCentre(): void {
    this.#board.navigation.closeCentre();
  }

  connectedCallback(): void {
    const { pauses, stage } = this.#board;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    document.addEventListener('keydown', (event) => this.#onHotkey(event), { signal });
    document.addEventListener('visibilitychange', () => pauses.set('hidden', document.hidden), { signal });
    document.addEventListener('toggle', (event) => this.#onToggle(event), { signal, capture: true });
    stage.layer.addEventListener('keydown', (event) => this.#onEscape(event), { signal });
    stage.layer.addEventListener('mousedown', keepFocus, { signal });
    stage.layer.addEventListener('focusin', (event) => this.#onFocusIn(event), { signal });
    stage.layer.addEventListener('focusout', (event) => this.#onFocusOut(event), { signal });
    this.#nameRegion();
    pauses.set('hidden', document.hidden);
    pauses.set('away', false);
    this.#board.raise();
  }

  disconnectedCallback(): void {
    this.#listening.abort();
    this.#board.pauses.set('focus', false);
    this.#board.pauses.set('away', true);
  }

  get #hotkey(): string {
    return this.getAttribute('hotkey') ?? 'F8';
  }

  #nameRegion(): void {
    const name = filled(this.#labels.region, { key: this.#hotkey });
    this.#board.stage.layer.setAttribute('aria-label', name.replace(' ()', ''));
  }

  #onHotkey(event: KeyboardEvent): void {
    const { key, ctrlKey, altKey, metaKey, shiftKey } = event;
    if (key !== this.#hotkey || ctrlKey || altKey || metaKey || shiftKey) return;
    event.preventDefault();
    this.#board.navigation.enterOrLeave();
  }

  /** A dialog around would take the same key for itself. */
  #onEscape(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !this.#board.navigation.escape()) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** By the keyboard: a click leaves focus behind that nobody looks at. */
  #onFocusIn({ target, relatedTarget }: FocusEvent): void {
    this.#board.navigation.cameFrom(relatedTarget);
    const visible = target instanceof Element && target.matches(':focus-visible');
    this.#board.pauses.set('focus', visible);
  }

  #onFocusOut({ relatedTarget }: FocusEvent): void {
    if (relatedTarget instanceof Node && this.#board.stage.layer.contains(relatedTarget)) return;
    this.#board.pauses.set('focus', false);
  }

  /** The page opened or closed something in the top layer. */
  #onToggle({ target, newState }: ToggleEvent): void {
    if (!(target instanceof HTMLElement) || !target.matches('dialog, [popover]')) return;
    const moved = this.#shelter.settle();
    if (!moved && newState === 'open') this.#board.raise();
  }
}

/** A mouse on a button leaves focus where it is: in what the person is writing. */
function keepFocus(event: MouseEvent): void {
  if (event.target instanceof Element && event.target.closest('button') !== null) event.preventDefault();
}
