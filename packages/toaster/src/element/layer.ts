import type { PauseReasons } from '../card/countdown.ts';
import { create } from '../card/dom.ts';
import { TOAST_POSITIONS, type ToastPosition } from '../notification/notification.ts';
import { isAt, ToastStack } from './stack.ts';

/** The layer over the page: a stack of cards for each position. It is a popover, open while it has content. */
export class ToastLayer {
  readonly element: HTMLElement = create('div', { class: 'layer', role: 'region', popover: 'manual' });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the constructor adds all of them
  readonly stacks = {} as Record<ToastPosition, ToastStack>;

  /** @param onMore the person clicked "n more" */
  constructor(pauses: PauseReasons, onMore: () => void) {
    for (const position of TOAST_POSITIONS) {
      const stack = new ToastStack(position, pauses, onMore);
      this.element.append(stack.element);
      this.stacks[position] = stack;
    }
  }

  /** Whether a toast, or another part of the layer, is at a point of the window. */
  hasAt(event: MouseEvent): boolean {
    return isAt(this.element.querySelectorAll('.stack > *, .center'), event);
  }

  add(card: HTMLElement, position: ToastPosition): void {
    this.stacks[position].add(card);
    if (!this.#isOpen) this.raise();
  }

  /** The person touched something outside the layer. */
  endTouch(): void {
    for (const position of TOAST_POSITIONS) this.stacks[position].endTouch();
  }

  /** Opens the layer above all dialogs and popovers of the page, if it has content; closes it if not. */
  raise(): void {
    if (this.#isOpen) this.element.hidePopover();
    if (this.element.isConnected && this.#hasContent) this.element.showPopover();
  }

  closeIfEmpty(): void {
    if (!this.#hasContent) this.raise();
  }

  get #isOpen(): boolean {
    return this.element.matches(':popover-open');
  }

  /** Cards that fade out count too. */
  get #hasContent(): boolean {
    return this.element.querySelector('.stack > *, .center:not([hidden])') !== null;
  }
}

/**
 * Scrolls an element of the layer into view.
 *
 * @returns whether it was in view before: a person must see a prompt before a click sends it
 */
export function wasInView(element: Element): boolean {
  const { top, height } = element.getBoundingClientRect();
  // Of a prompt that is taller than the window the end must have been seen.
  element.scrollIntoView({ block: height > innerHeight ? 'end' : 'nearest' });
  return Math.abs(element.getBoundingClientRect().top - top) < 1;
}
