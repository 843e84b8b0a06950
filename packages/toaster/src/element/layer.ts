import type { PauseReasons } from '../card/countdown.ts';
import { create, listen } from '../card/dom.ts';
import { TOAST_POSITIONS, type ToastPosition } from '../notification/notification.ts';
import { ToastStack } from './stack.ts';

/** The layer over the page: a stack of cards for each position. It is a popover, open while it has content. */
export class ToastLayer {
  readonly element: HTMLElement = create('div', { class: 'layer', role: 'region', popover: 'manual' });
  readonly #pauses: PauseReasons;
  readonly #stacks: ReadonlyMap<ToastPosition, ToastStack>;

  /** @param onMore the person clicked "n more" */
  constructor(pauses: PauseReasons, onMore: () => void) {
    this.#pauses = pauses;
    const onHover = (hovered: boolean) => pauses.set('hover', hovered);
    this.#stacks = new Map(
      TOAST_POSITIONS.map((position) => {
        const stack = new ToastStack(position, { onHover, onMore });
        this.element.append(stack.element);
        return [position, stack];
      }),
    );
    // Libraries close their modals at a press outside: a toast is not outside.
    listen(this.element, { pointerdown: (event) => event.stopPropagation() });
  }

  stack(position: ToastPosition): ToastStack {
    const stack = this.#stacks.get(position);
    if (!stack) throw new TypeError(position);
    return stack;
  }

  add(card: HTMLElement, position: ToastPosition): void {
    this.stack(position).add(card);
    if (!this.#isOpen) this.raise();
    // A small screen may not have room for all positions.
    if (!this.#pauses.paused) card.scrollIntoView({ block: 'nearest' });
  }

  /** The person touched something outside the layer. */
  endTouch(): void {
    for (const stack of this.#stacks.values()) stack.endTouch();
  }

  /** Opens the layer above all dialogs and popovers of the page, if it has content; closes it if not. */
  raise(): void {
    if (!this.element.isConnected) return;
    const hasContent = this.#hasContent;
    // Reopening a popover takes focus out of it.
    if (this.#isOpen && hasContent && this.element.matches(':focus-within')) return;
    if (this.#isOpen) this.element.hidePopover();
    if (hasContent) this.element.showPopover();
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
  const { top } = element.getBoundingClientRect();
  element.scrollIntoView({ block: 'nearest' });
  return Math.abs(element.getBoundingClientRect().top - top) < 1;
}

/**
 * A modal dialog makes everything outside it inert, the top layer too. While one is open, the host moves into it, so
 * that a person can read and click the toasts and a screen reader announces them. Then it moves back.
 * See docs/decisions/0020.
 */
export class ModalShelter {
  readonly #host: HTMLElement;
  readonly #update = () => this.update();
  /** Marks the host's own place in the page while it is in a dialog. */
  #placeholder: Comment | undefined;
  #modal: Element | undefined;

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  /** Moves the host into the topmost modal dialog, or back if none is open. @returns whether it moved */
  update(): boolean {
    const modal = topModal() ?? this.#openModal;
    if (!modal) return this.#moveBack();
    if (modal.contains(this.#host)) return false;
    if (!this.#placeholder) {
      this.#placeholder = document.createComment('deskside-toaster');
      this.#host.before(this.#placeholder);
    }
    this.#modal = modal;
    // The document gets no toggle event from a shadow root, nor from older browsers.
    modal.addEventListener('close', this.#update);
    modal.append(this.#host);
    return true;
  }

  /** Call it when the host was disconnected. A dialog that is removed while it is open fires no event. */
  rescue(): void {
    if (!this.#placeholder || this.#host.isConnected) return;
    if (this.#host.parentNode !== this.#modal) {
      // The page has removed the host itself. The comment stays, and marks nothing.
      this.#placeholder = undefined;
    } else if (this.#placeholder.isConnected) this.update();
  }

  /** The dialog that the host moved into last: its shadow root hides it from a search in the document. */
  get #openModal(): Element | undefined {
    return this.#modal?.matches(':modal') ? this.#modal : undefined;
  }

  #moveBack(): boolean {
    if (!this.#placeholder) return false;
    if (this.#placeholder.isConnected) this.#placeholder.replaceWith(this.#host);
    else document.body.append(this.#host);
    this.#placeholder = undefined;
    return true;
  }
}

/** If focus is in a modal dialog, that one is the topmost. */
function topModal(): Element | undefined {
  return focusedModal() ?? [...document.querySelectorAll('dialog:modal')].at(-1);
}

/** The modal dialog around focus, in any shadow root. */
function focusedModal(): Element | undefined {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  while (element) {
    const modal = element.closest('dialog:modal');
    if (modal) return modal;
    const root: Node = element.getRootNode();
    element = root instanceof ShadowRoot ? root.host : null;
  }
  return undefined;
}
