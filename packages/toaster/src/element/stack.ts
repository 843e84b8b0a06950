import type { PauseReasons } from '../card/countdown.ts';
import { create, createButton, listen } from '../card/dom.ts';
import type { ToastPosition } from '../notification/notification.ts';

/** How long after a stack has moved a click may be meant for the button that was there before. */
const SETTLE_MS = 400;
const MOVE_MS = 300;
const LEAVE_MS = 200;
const EASING = 'ease-out';

/**
 * The cards at one position. Errors are nearest to the screen's edge and are never covered; the others are piled behind
 * the newest of them. On a small screen all of them are. A pile spreads while the person points at the stack, touches it
 * or has focus in it.
 */
export class ToastStack {
  readonly element: HTMLElement;
  readonly #isBottom: boolean;
  readonly #pauses: PauseReasons;
  readonly #onMore: () => void;
  /** In the order of their arrival, without those that leave. */
  #cards: HTMLElement[] = [];
  /** The same, from the edge of the screen. */
  #order: HTMLElement[] = [];
  #more: HTMLElement | undefined;
  #movedAt = -SETTLE_MS;
  /** The last event of the pointer; undefined if it is not over the stack. */
  #pointer: PointerEvent | undefined;
  /** Where the cards were before the first change of this frame; undefined if nothing has changed. */
  #before: ReadonlyMap<HTMLElement, number> | undefined;

  /** @param onMore the person clicked "n more" */
  constructor(position: ToastPosition, pauses: PauseReasons, onMore: () => void) {
    this.element = create('div', { class: `stack ${position}` });
    this.#isBottom = position.startsWith('bottom');
    this.#pauses = pauses;
    this.#onMore = onMore;
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
    this.#measure();
    this.#cards.push(card);
    this.#order.push(card);
    this.arrange();
    if (!this.#isOpen) this.markMoved();
  }

  /** A card that was drawn fades out. One that was swiped away goes on in its direction. */
  remove(card: HTMLElement, onRemoved: () => void): void {
    const finish = () => {
      card.remove();
      onRemoved();
      const pointer = this.#pointer;
      // Removing the hovered card may not fire pointerleave.
      if (pointer && !isAt(this.element.children, pointer)) this.#setPointer(undefined);
      else this.arrange();
    };
    this.markMoved();
    this.#measure();
    this.#cards = this.#cards.filter((other) => other !== card);
    this.#order = this.#order.filter((other) => other !== card);
    if (!this.#before?.has(card) || !card.isConnected || !allowsMotion()) return finish();
    const { offsetTop, offsetLeft, offsetWidth, offsetHeight, style } = card;
    card.inert = true;
    card.classList.add('leaving');
    Object.assign(style, {
      top: `${offsetTop}px`,
      left: `${offsetLeft}px`,
      width: `${offsetWidth}px`,
      height: `${offsetHeight}px`,
      gridRow: '',
    });
    this.element.append(card);
    this.arrange();
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
    this.#more = text ? createButton({ class: 'more' }, this.#onMore, text) : undefined;
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

  /** Orders the cards, and piles or spreads them. */
  arrange(): void {
    this.#measure();
    const isOpen = this.#isOpen;
    let pile: readonly HTMLElement[] = [];
    // In an open stack no card changes its place, and new ones come last.
    if (!isOpen) {
      const newestFirst = this.#cards.toReversed();
      pile = newestFirst.filter((card) => isSmallScreen() || !card.classList.contains('error'));
      this.#order = [...newestFirst.filter((card) => !pile.includes(card)), ...pile];
    }
    this.element.classList.toggle('open', isOpen);
    const nodes = [...this.#order, ...(this.#more ? [this.#more] : [])];
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
      node.style.gridRow = `${this.#isBottom ? nodes.length + 1 - row : row}`;
      node.style.setProperty('--depth', `${Math.max(0, depth)}`);
      node.style.zIndex = `${-index}`;
      node.classList.toggle('under', isUnder);
    });
  }

  /** Call it before a change. It costs a layout of the page, so all changes of a frame measure once. */
  #measure(): void {
    if (this.#before) return;
    const before = new Map(this.#cards.map((card) => [card, this.#anchor(card)]));
    this.#before = before;
    requestAnimationFrame(() => this.#move(before));
  }

  /** New cards slide in. Those that were there glide to their new places. */
  #move(before: ReadonlyMap<HTMLElement, number>): void {
    this.#before = undefined;
    const added = this.#cards.filter((card) => !before.has(card));
    // A small screen may not have room for all positions.
    if (!this.#pauses.paused) added.at(-1)?.scrollIntoView({ block: 'nearest' });
    if (!allowsMotion()) return;
    const timing = { duration: MOVE_MS, easing: EASING };
    for (const [card, anchor] of before) {
      const distancePx = anchor - this.#anchor(card);
      // It adds to an earlier movement, which goes on.
      if (distancePx) card.animate({ translate: [`0 ${distancePx}px`, '0 0'], composite: 'add' }, timing);
    }
    const from = this.#isBottom ? '100%' : '-100%';
    for (const card of added) card.animate({ opacity: [0, 1], translate: [`0 ${from}`, '0 0'] }, timing);
  }

  /** The edge of a card that its size in the pile does not move. */
  #anchor(card: HTMLElement): number {
    const { top, bottom } = card.getBoundingClientRect();
    return this.#isBottom ? top : bottom;
  }

  #setPointer(pointer: PointerEvent | undefined): void {
    const isSame = Boolean(this.#pointer) === Boolean(pointer);
    this.#pointer = pointer;
    if (isSame) return;
    this.#pauses.set('hover', Boolean(pointer));
    this.arrange();
  }
}

/** Whether one of the elements is at a point of the window. */
export function isAt(elements: Iterable<Element>, { clientX, clientY }: MouseEvent): boolean {
  return [...elements].some((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
  });
}

let smallScreen: MediaQueryList | undefined;

export function isSmallScreen(): boolean {
  // Making the list takes longer than making a card. A server has none.
  smallScreen ??= matchMedia('(max-width: 600px)');
  return smallScreen.matches;
}

function allowsMotion(): boolean {
  return !matchMedia('(prefers-reduced-motion: reduce)').matches;
}
