import { create, createButton, listen } from '../card/dom.ts';
import type { ToastPosition } from '../notification/notification.ts';

/** How long after a stack has moved a click may be meant for the button that was there before. */
const SETTLE_MS = 400;
const MOVE_MS = 300;
const LEAVE_MS = 200;
const EASING = 'ease-out';

export interface StackEvents {
  /** The person points at the stack, or does so no longer. */
  readonly onHover: (hovered: boolean) => void;
  /** The person clicked "n more". */
  readonly onMore: () => void;
}

/**
 * The cards at one position. Errors are nearest to the screen's edge and are never covered; the others are piled behind
 * the newest of them. On a small screen all of them are. A pile spreads while the person points at the stack, touches it
 * or has focus in it.
 */
export class ToastStack {
  readonly element: HTMLElement;
  readonly #isBottom: boolean;
  readonly #events: StackEvents;
  /** In the order of their arrival, without those that leave. */
  #cards: HTMLElement[] = [];
  /** The same, from the edge of the screen. */
  #order: HTMLElement[] = [];
  #more: HTMLElement | undefined;
  #movedAt = -SETTLE_MS;
  /** The last event of the pointer; undefined if it is not over the stack. */
  #pointer: PointerEvent | undefined;
  readonly #movements = new WeakMap<HTMLElement, Animation>();

  constructor(position: ToastPosition, events: StackEvents) {
    this.element = create('div', { class: `stack ${position}` });
    this.#isBottom = position.startsWith('bottom');
    this.#events = events;
    const onPointer = (event: PointerEvent) => {
      // A finger opens a pile with a tap, and closes it elsewhere.
      const opens = event.type === 'pointerdown' && this.#cards.length > 1;
      if (event.pointerType !== 'touch' || opens) this.#setPointer(event);
    };
    listen(this.element, {
      pointerenter: onPointer,
      pointermove: onPointer,
      pointerdown: onPointer,
      pointerleave: () => {
        if (this.#pointer?.pointerType !== 'touch') this.#setPointer(undefined);
      },
      focusin: () => this.arrange(),
      focusout: () => this.arrange(),
    });
  }

  add(card: HTMLElement): void {
    this.arrange(() => {
      this.#cards.push(card);
      this.#order.push(card);
    });
    if (!this.#isOpen) this.markMoved();
    if (!allowsMotion()) return;
    const from = this.#isBottom ? '100%' : '-100%';
    card.animate({ opacity: [0, 1], translate: [`0 ${from}`, '0 0'] }, { duration: MOVE_MS, easing: EASING });
  }

  /** A card that was swiped away goes on in its direction. */
  remove(card: HTMLElement, onRemoved: () => void): void {
    const finish = () => {
      card.remove();
      onRemoved();
      this.#checkPointer();
    };
    const { offsetTop, offsetLeft, offsetWidth, offsetHeight, style } = card;
    const fades = allowsMotion() && card.isConnected;
    this.markMoved();
    this.arrange(() => {
      this.#cards = this.#cards.filter((other) => other !== card);
      this.#order = this.#order.filter((other) => other !== card);
      if (!fades) return card.remove();
      card.inert = true;
      card.classList.add('leaving');
      Object.assign(style, {
        top: `${offsetTop}px`,
        left: `${offsetLeft}px`,
        width: `${offsetWidth}px`,
        height: `${offsetHeight}px`,
        gridRow: '',
      });
      return this.element.append(card);
    });
    if (!fades) return finish();
    const { translate } = style;
    const swiped = translate && { translate: translate.replace(/[\d.]+px$/, '100%') };
    card
      .animate({ opacity: 0, ...swiped }, { duration: LEAVE_MS, easing: EASING, fill: 'forwards' })
      .finished.then(finish, finish);
  }

  /** Sets the text behind the cards ("2 more"); 0 or false removes it. */
  setMore(text: string | 0 | false): void {
    if (this.#more?.textContent === text) return;
    this.#more?.remove();
    this.#more = text ? createButton({ class: 'more' }, this.#events.onMore, text) : undefined;
    this.arrange();
  }

  /** Call it when other actions have come under the pointer. */
  markMoved(): void {
    this.#movedAt = performance.now();
  }

  /** False if the stack has just moved: a click may be meant for the button that was there before. */
  get isSteady(): boolean {
    return performance.now() - this.#movedAt >= SETTLE_MS;
  }

  /** The person touched something else. */
  endTouch(): void {
    if (this.#pointer?.pointerType === 'touch') this.#setPointer(undefined);
  }

  /** The person may aim at one of the cards. */
  get #isOpen(): boolean {
    return this.#pointer !== undefined || this.element.matches(':focus-within');
  }

  /** Orders the cards, and piles or spreads them. Those that were there glide to their new places. */
  arrange(change?: () => void): void {
    const before = this.#cards.map((card) => [card, this.#anchor(card)] as const);
    change?.();
    const isOpen = this.#isOpen;
    // In an open stack no card changes its place, and new ones come last.
    if (!isOpen)
      this.#order = this.#cards
        .toReversed()
        .toSorted((a, b) => Number(isUncovered(b)) - Number(isUncovered(a)));
    this.element.classList.toggle('open', isOpen);
    this.#place(isOpen);
    for (const [card, anchor] of before) this.#glide(card, anchor);
  }

  #place(isOpen: boolean): void {
    const nodes = [...this.#order, ...(this.#more ? [this.#more] : [])];
    const pile = isOpen ? [] : this.#order.filter((card) => !isUncovered(card));
    let next = this.element.firstChild;
    for (const node of this.#isBottom ? nodes.toReversed() : nodes) {
      if (node === next) next = next.nextSibling;
      else this.element.insertBefore(node, next);
    }
    // All cards of a pile are in the row of its front.
    let row = 0;
    nodes.forEach((node, index) => {
      const depth = node === this.#more ? pile.length - 1 : pile.indexOf(node);
      const isUnder = depth > 0 && node !== this.#more;
      if (!isUnder) row = index + 1;
      node.style.gridRow = String(this.#isBottom ? nodes.length + 1 - row : row);
      node.style.setProperty('--depth', String(Math.max(0, depth)));
      node.style.zIndex = String(-index);
      node.classList.toggle('under', isUnder);
    });
  }

  /** The edge of a card that its size in the pile does not move. */
  #anchor(card: HTMLElement): number {
    const { top, bottom } = card.getBoundingClientRect();
    return this.#isBottom ? top : bottom;
  }

  #glide(card: HTMLElement, before: number): void {
    this.#movements.get(card)?.cancel();
    const distancePx = before - this.#anchor(card);
    if (distancePx === 0 || !allowsMotion()) return;
    const keyframes = { translate: [`0 ${distancePx}px`, '0 0'], composite: 'add' as const };
    this.#movements.set(card, card.animate(keyframes, { duration: MOVE_MS, easing: EASING }));
  }

  /** Removing the hovered card may not fire pointerleave. */
  #checkPointer(): void {
    const pointer = this.#pointer;
    if (pointer && ![...this.element.children].some((part) => isAt(part, pointer)))
      this.#setPointer(undefined);
    else this.arrange();
  }

  #setPointer(pointer: PointerEvent | undefined): void {
    const isSame = Boolean(this.#pointer) === Boolean(pointer);
    this.#pointer = pointer;
    if (isSame) return;
    this.#events.onHover(Boolean(pointer));
    this.arrange();
  }
}

/** Whether an element is at a point of the window. */
export function isAt(element: Element, { clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
}

function isUncovered(card: HTMLElement): boolean {
  return card.classList.contains('error') && !isSmallScreen();
}

export function isSmallScreen(): boolean {
  return matchMedia('(max-width: 600px)').matches;
}

function allowsMotion(): boolean {
  return !matchMedia('(prefers-reduced-motion: reduce)').matches;
}
