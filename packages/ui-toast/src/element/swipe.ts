/** Pixels after which letting go dismisses; a flick needs less. */
const FAR = 45;
/** Pixels a millisecond that make a flick, from this distance on. */
const FAST = 0.3;
const LEAST = 12;

export interface SwipeHandlers {
  readonly onStart: () => void;
  /** Let go, whether it goes or snaps back. */
  readonly onEnd: () => void;
  readonly onSwiped: () => void;
}

/** Dismisses by a finger or pen, outwards. A mouse selects text instead, and a button stays a button. */
export function makeSwipeable(card: HTMLElement, outwards: 'right' | 'up', handlers: SwipeHandlers): void {
  let start: { readonly id: number; readonly x: number; readonly y: number; readonly at: number } | undefined;

  card.style.touchAction = outwards === 'right' ? 'pan-y' : 'pan-x';
  const distance = ({ clientX, clientY }: PointerEvent) => {
    if (start === undefined) return 0;
    return Math.max(0, outwards === 'right' ? clientX - start.x : start.y - clientY);
  };
  const release = () => {
    start = undefined;
    card.style.translate = '';
    card.style.opacity = '';
  };

  card.addEventListener('pointerdown', (event) => {
    const onButton = event.target instanceof Element && event.target.closest('button') !== null;
    if (event.pointerType === 'mouse' || onButton || start !== undefined) return;
    start = { id: event.pointerId, x: event.clientX, y: event.clientY, at: event.timeStamp };
    card.setPointerCapture(event.pointerId);
    handlers.onStart();
  });
  card.addEventListener('pointermove', (event) => {
    if (event.pointerId !== start?.id) return;
    const moved = distance(event);
    card.style.translate = outwards === 'right' ? `${moved}px` : `0 ${-moved}px`;
    card.style.opacity = String(Math.max(0.3, 1 - moved / 200));
  });
  card.addEventListener('pointerup', (event) => {
    if (event.pointerId !== start?.id) return;
    const moved = distance(event);
    const flicked = moved > LEAST && moved / Math.max(1, event.timeStamp - start.at) > FAST;
    release();
    handlers.onEnd();
    if (moved > FAR || flicked) handlers.onSwiped();
  });
  card.addEventListener('pointercancel', (event) => {
    if (event.pointerId !== start?.id) return;
    release();
    handlers.onEnd();
  });
}
