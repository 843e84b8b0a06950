import { create, createButton } from '../card/create.ts';
import { type Position, POSITIONS } from '../notification/notification.ts';
import { filled, type Labels } from './labels.ts';

/** Milliseconds after a stack moved in which a click may have been meant for what was there before. */
const SETTLING_MS = 400;
const LEAVING_MS = 150;

export interface StageHandlers {
  readonly onHover: (hovered: boolean) => void;
  readonly onMore: () => void;
}

/** The layer over the page: a stack for each position, in the top layer of the browser while there is something. */
export class Stage {
  readonly layer: HTMLElement = create('div', {
    class: 'layer',
    role: 'region',
    popover: 'manual',
  });
  readonly #stacks: ReadonlyMap<Position, HTMLElement>;
  readonly #movedAt = new Map<Position, number>();
  readonly #handlers: StageHandlers;
  /** The stack under the pointer, and where the pointer is. */
  #hovered: { readonly stack: HTMLElement; readonly x: number; readonly y: number } | undefined;

  constructor(handlers: StageHandlers) {
    this.#handlers = handlers;
    this.#stacks = new Map(POSITIONS.map((position) => [position, this.#stack(position)]));
    this.layer.append(...this.#stacks.values());
  }

  /** New cards stand behind the others, seen from the edge, so that nothing moves away under a pointer. */
  add(card: HTMLElement, position: Position): void {
    const stack = this.#stackAt(position);
    if (position === 'bottom-right') stack.insertBefore(card, stack.querySelector('.card'));
    else stack.insertBefore(card, stack.querySelector('.more'));
    this.#moved(position);
    const from = position === 'bottom-right' ? '12px' : '-12px';
    if (movesAllowed())
      card.animate(
        { opacity: [0, 1], translate: [`0 ${from}`, '0 0'] },
        { duration: 180, easing: 'ease-out' },
      );
  }

  remove(card: HTMLElement, position: Position, onGone: () => void): void {
    const gone = () => {
      card.remove();
      onGone();
      this.#moved(position);
      this.#checkHover();
    };
    if (!movesAllowed() || !card.isConnected) return gone();
    card.inert = true;
    card.classList.add('leaving');
    card.animate({ opacity: 0 }, { duration: LEAVING_MS, fill: 'forwards' }).finished.then(gone, gone);
  }

  /** How many wait behind each stack; a click on it shows them all. */
  setWaiting(waitingAt: (position: Position) => number, labels: Labels): void {
    for (const [position, stack] of this.#stacks) {
      const waiting = waitingAt(position);
      const more = stack.querySelector('.more');
      const text = filled(labels.more, { n: waiting });
      if (waiting === 0) more?.remove();
      else if (more === null) this.#addMore(stack, position, text);
      else more.textContent = text;
    }
  }

  get isOpen(): boolean {
    return this.layer.matches(':popover-open');
  }

  /** Cards on their way out still count. */
  get isEmpty(): boolean {
    return this.layer.querySelector('.stack > *') === null;
  }

  /** False just after the stack moved: what is under the pointer now was not when the person aimed. */
  isSteady(position: Position): boolean {
    return performance.now() - (this.#movedAt.get(position) ?? 0) >= SETTLING_MS;
  }

  /** Over everything the page has put into the top layer since, or out of it. */
  raise(open: boolean): void {
    if (!this.layer.isConnected || typeof this.layer.showPopover !== 'function') return;
    const holdsFocus = this.layer.matches(':focus-within');
    if (this.isOpen) {
      if (open && holdsFocus) return;
      this.layer.hidePopover();
    }
    if (open) this.layer.showPopover();
  }

  #addMore(stack: HTMLElement, position: Position, text: string): void {
    const more = createButton({ class: 'more' }, this.#handlers.onMore, text);
    if (position === 'bottom-right') stack.prepend(more);
    else stack.append(more);
  }

  #stack(position: Position): HTMLElement {
    const stack = create('div', { class: `stack ${position}` });
    for (const type of ['pointerenter', 'pointermove'] as const) {
      stack.addEventListener(type, ({ pointerType, clientX, clientY }) => {
        if (pointerType === 'touch') return;
        this.#hovered = { stack, x: clientX, y: clientY };
        this.#handlers.onHover(true);
      });
    }
    stack.addEventListener('pointerleave', () => this.#unhover());
    return stack;
  }

  /** A card that goes from under the pointer takes the stack's edge with it, and no event says so in time. */
  #checkHover(): void {
    if (this.#hovered === undefined) return;
    const { stack, x, y } = this.#hovered;
    const root = this.layer.getRootNode();
    const under = root instanceof ShadowRoot ? root.elementFromPoint(x, y) : null;
    if (!stack.contains(under)) this.#unhover();
  }

  #unhover(): void {
    this.#hovered = undefined;
    this.#handlers.onHover(false);
  }

  #moved(position: Position): void {
    this.#movedAt.set(position, performance.now());
  }

  #stackAt(position: Position): HTMLElement {
    const stack = this.#stacks.get(position);
    if (stack === undefined) throw new Error(`no stack at ${position}`);
    return stack;
  }
}

function movesAllowed(): boolean {
  return !matchMedia('(prefers-reduced-motion: reduce)').matches;
}
