import type { PauseReasons } from '../card/countdown.ts';
import { isOnButton, listen } from '../card/dom.ts';

/** A press that moves farther selects text. */
const MAX_CLICK_PX = 5;

/** Keyboard focus inside the layer. It pauses all toasts, and goes back to where it came from. */
export class LayerFocus {
  readonly #layer: HTMLElement;
  readonly #pauses: PauseReasons;
  /** The element of the page that had focus before the layer. */
  #origin: HTMLElement | null = null;
  /** The press that began to take focus from the page. */
  #press: MouseEvent | undefined;
  /** The element that has focus, or had it when the page took the layer away. */
  #last: HTMLElement | undefined;

  constructor(layer: HTMLElement, pauses: PauseReasons) {
    this.#layer = layer;
    this.#pauses = pauses;
    listen(layer, {
      focusin: (event) => {
        // Libraries that keep focus in their modal listen on the document.
        event.stopPropagation();
        const { target, relatedTarget: from } = event;
        this.#last = target;
        // It comes from nowhere if the focused button of the layer was drawn again.
        if (from && !layer.contains(from)) this.#origin = from;
        // Only keyboard focus pauses: after a click, focus can stay behind unnoticed.
        pauses.set('focus', target.matches(':focus-visible'));
      },
      focusout: ({ relatedTarget: to }) => {
        if (!to || !layer.contains(to)) pauses.set('focus', false);
        // Chromium fires it also when the page takes the layer away.
        queueMicrotask(() => {
          if (layer.isConnected && !this.isInside) this.#last = undefined;
        });
      },
      // A click must not take focus from the text that the person is writing.
      mousedown: (event) => {
        this.#press = this.isInside ? undefined : event;
        if (isOnButton(event)) event.preventDefault();
      },
      // The click was not the end of selecting text: focus goes back.
      click: ({ detail, target, clientX, clientY }) => {
        const { clientX: x = NaN, clientY: y = NaN } = this.#press ?? {};
        // A field in a node of the page keeps focus.
        if (detail === 1 && layer.contains(target) && Math.hypot(clientX - x, clientY - y) < MAX_CLICK_PX)
          this.restore();
      },
    });
  }

  get isInside(): boolean {
    return this.#layer.matches(':focus-within');
  }

  /**
   * Moves focus into the layer. In two steps: libraries that keep focus in their modal take it back if it goes straight to
   * an element outside.
   */
  enter(element: HTMLElement): void {
    if (!this.isInside) {
      // Every element that can have focus has these methods.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      this.#origin = document.activeElement as HTMLElement | null;
      this.#origin?.blur();
    }
    element.focus();
  }

  /** Moves focus back to the page. */
  restore(): void {
    this.#origin?.focus();
    this.#origin = null;
    // Nothing in the page had focus, or it is gone.
    this.#last?.blur();
  }

  /** Moves focus back to where it was before the page took the layer away, unless something else has it. */
  recover(): void {
    if (document.activeElement === document.body) this.#last?.focus();
    this.check();
  }

  /** Call it after an element was removed: not every browser fires focusout then. */
  check(): void {
    if (!this.isInside) this.#pauses.set('focus', false);
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
