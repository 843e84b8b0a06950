import type { PauseReasons } from '../card/countdown.ts';
import { create, createButton } from '../card/dom.ts';
import { type Position, POSITIONS } from '../notification/notification.ts';

/** How long after a stack has moved a click may be meant for the button that was there before. */
const SETTLE_MS = 400;
const FADE_IN_MS = 180;
const FADE_OUT_MS = 150;

/** The layer over the page: one stack of cards for each position. It is a popover, open while it has content. */
export class ToastLayer {
  readonly element: HTMLElement = create('div', { class: 'layer', role: 'region', popover: 'manual' });
  readonly #pauses: PauseReasons;
  readonly #onMore: () => void;
  readonly #stacks: ReadonlyMap<Position, HTMLElement>;
  readonly #movedAt = new Map<Position, number>();
  /** The stack under the pointer, and the pointer's coordinates in the viewport. */
  #hovered: { readonly stack: HTMLElement; readonly x: number; readonly y: number } | undefined;

  /** @param onMore the person clicked "n more" */
  constructor(pauses: PauseReasons, onMore: () => void) {
    this.#pauses = pauses;
    this.#onMore = onMore;
    this.#stacks = new Map(POSITIONS.map((position) => [position, this.#createStack(position)]));
    this.element.append(...this.#stacks.values());
  }

  /** Adds a card farthest from the screen's edge, so that no other card moves away under the pointer. */
  add(card: HTMLElement, position: Position): void {
    const stack = this.#stack(position);
    if (position === 'bottom-right') stack.insertBefore(card, stack.querySelector('.card'));
    else stack.insertBefore(card, stack.querySelector('.more'));
    this.markMoved(position);
    if (!this.#isOpen) this.raise();
    const from = position === 'bottom-right' ? '12px' : '-12px';
    if (allowsMotion()) {
      card.animate(
        { opacity: [0, 1], translate: [`0 ${from}`, '0 0'] },
        { duration: FADE_IN_MS, easing: 'ease-out' },
      );
    }
  }

  remove(card: HTMLElement, position: Position, onRemoved: () => void): void {
    const finish = () => {
      card.remove();
      onRemoved();
      this.markMoved(position);
      this.#checkHover();
    };
    if (!allowsMotion() || !card.isConnected) return finish();
    card.inert = true;
    card.classList.add('leaving');
    card.animate({ opacity: 0 }, { duration: FADE_OUT_MS, fill: 'forwards' }).finished.then(finish, finish);
  }

  /** Sets the text below a stack's cards ("2 more"); undefined removes it. */
  setMore(position: Position, text: string | undefined): void {
    const stack = this.#stack(position);
    const more = stack.querySelector('.more');
    if (text === undefined) more?.remove();
    else if (more !== null) more.textContent = text;
    else {
      const button = createButton({ class: 'more' }, this.#onMore, text);
      if (position === 'bottom-right') stack.prepend(button);
      else stack.append(button);
    }
  }

  /** Call it when other actions have come under the pointer. */
  markMoved(position: Position): void {
    this.#movedAt.set(position, performance.now());
  }

  /** False if the stack has just moved: a click may be meant for the button that was there before. */
  isSteady(position: Position): boolean {
    return performance.now() - (this.#movedAt.get(position) ?? 0) >= SETTLE_MS;
  }

  /** Opens the layer above all dialogs and popovers of the page, if it has content; closes it if not. */
  raise(): void {
    if (!this.element.isConnected || typeof this.element.showPopover !== 'function') return;
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

  #stack(position: Position): HTMLElement {
    const stack = this.#stacks.get(position);
    if (stack === undefined) throw new Error(`no stack at ${position}`);
    return stack;
  }

  #createStack(position: Position): HTMLElement {
    const stack = create('div', { class: `stack ${position}` });
    for (const type of ['pointerenter', 'pointermove'] as const) {
      stack.addEventListener(type, ({ pointerType, clientX, clientY }) => {
        if (pointerType === 'touch') return;
        this.#hovered = { stack, x: clientX, y: clientY };
        this.#pauses.set('hover', true);
      });
    }
    stack.addEventListener('pointerleave', () => this.#endHover());
    return stack;
  }

  /** Removing the hovered card may not fire pointerleave. */
  #checkHover(): void {
    if (this.#hovered === undefined) return;
    const { stack, x, y } = this.#hovered;
    const root = this.element.getRootNode();
    const under = root instanceof ShadowRoot ? root.elementFromPoint(x, y) : null;
    if (!stack.contains(under)) this.#endHover();
  }

  #endHover(): void {
    this.#hovered = undefined;
    this.#pauses.set('hover', false);
  }
}

function allowsMotion(): boolean {
  return !matchMedia('(prefers-reduced-motion: reduce)').matches;
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
    if (modal === undefined) return this.#moveBack();
    if (modal.contains(this.#host)) return false;
    if (this.#placeholder === undefined) {
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
    if (this.#placeholder === undefined || this.#host.isConnected) return;
    if (this.#host.parentNode !== this.#modal) {
      // The page has removed the host itself. The comment stays, and marks nothing.
      this.#placeholder = undefined;
    } else if (this.#placeholder.isConnected) this.update();
  }

  /** The dialog that the host moved into last: its shadow root hides it from a search in the document. */
  get #openModal(): Element | undefined {
    return this.#modal?.matches(':modal') === true ? this.#modal : undefined;
  }

  #moveBack(): boolean {
    if (this.#placeholder === undefined) return false;
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
  while (element !== null) {
    const modal = element.closest('dialog:modal');
    if (modal !== null) return modal;
    const root: Node = element.getRootNode();
    element = root instanceof ShadowRoot ? root.host : null;
  }
  return undefined;
}
