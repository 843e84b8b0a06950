import type { PauseReasons } from '../card/countdown.ts';

/** A press that moves farther selects text. */
const MAX_CLICK_PX = 5;

/** Keyboard focus inside the layer. It pauses all toasts, and goes back to where it came from. */
export class LayerFocus {
  readonly #layer: HTMLElement;
  readonly #pauses: PauseReasons;
  /** The element of the page that had focus before the layer. */
  #origin: HTMLElement | undefined;
  /** The pointer's coordinates when a press began to take focus from the page. */
  #press: { readonly x: number; readonly y: number } | undefined;

  constructor(layer: HTMLElement, pauses: PauseReasons) {
    this.#layer = layer;
    this.#pauses = pauses;
    layer.addEventListener('focusin', (event) => this.#onFocusIn(event));
    layer.addEventListener('focusout', (event) => this.#onFocusOut(event));
    layer.addEventListener('mousedown', (event) => this.#onMouseDown(event));
    layer.addEventListener('click', (event) => this.#onClick(event));
  }

  get isInside(): boolean {
    return this.#layer.matches(':focus-within');
  }

  /** Moves focus back to the page. */
  restore(): void {
    if (this.#origin?.isConnected === true) this.#origin.focus();
    this.#origin = undefined;
  }

  /** Call it after an element was removed: not every browser fires focusout then. */
  check(): void {
    if (!this.isInside) this.#pauses.set('focus', false);
  }

  /** Only keyboard focus pauses: after a click, focus can stay behind unnoticed. */
  #onFocusIn({ target, relatedTarget: from }: FocusEvent): void {
    // It comes from nowhere if the focused button of the layer was drawn again.
    if (from instanceof HTMLElement && !this.#contains(from)) this.#origin = from;
    this.#pauses.set('focus', target instanceof Element && target.matches(':focus-visible'));
  }

  #onFocusOut({ relatedTarget: to }: FocusEvent): void {
    if (!this.#contains(to)) this.#pauses.set('focus', false);
  }

  /** A click must not take focus from the text that the person is writing. */
  #onMouseDown(event: MouseEvent): void {
    this.#press = this.isInside ? undefined : { x: event.clientX, y: event.clientY };
    if (event.target instanceof Element && event.target.closest('button') !== null) event.preventDefault();
  }

  /** The click was not the end of selecting text: focus goes back. */
  #onClick({ detail, clientX, clientY }: MouseEvent): void {
    const { x = NaN, y = NaN } = this.#press ?? {};
    if (detail === 1 && Math.hypot(clientX - x, clientY - y) < MAX_CLICK_PX) this.restore();
  }

  #contains(target: EventTarget | null): boolean {
    return target instanceof Node && this.#layer.contains(target);
  }
}

/** Moves focus to the card's button for the same action, or else to the card: a key must not press another action. */
export function focusSame(button: Element, card: HTMLElement): void {
  const offer = offerOf(button);
  const same = [...card.querySelectorAll('button')].find((other) => offerOf(other) === offer);
  (same ?? card).focus();
}

/** What a button shows to do: its label and prompt. Shown texts have no NUL. */
function offerOf(button: Element): string {
  return [...button.querySelectorAll('.label, .sends')].map((part) => part.textContent).join('\0');
}
