const find = (id) => document.getElementById(id);

/** Positions are rounded: a part of a line may be cut. */
const WHOLE = 0.9;

/**
 * What of a review the person has not seen. A piece of text is seen when all of it was in view.
 *
 * @param onSeen called with a text for screen readers when everything was seen
 * @returns undefined if the page has no review
 */
export function unseenParts(guard, onSeen) {
  const place = find('unseen');
  if (place === null) return undefined;
  const next = find('next-unseen');
  const message = find('message');
  const accepting = document.querySelectorAll('[data-scope]');
  const count = document.querySelectorAll('.part').length;
  /** In the order of the page. */
  const pieces = new Set(document.querySelectorAll('.piece'));
  const observer = new IntersectionObserver(onChange, { threshold: WHOLE });
  for (const piece of pieces) observer.observe(piece);

  function onChange(entries) {
    for (const { target, isIntersecting, intersectionRatio } of entries) {
      if (!isIntersecting || intersectionRatio < WHOLE) continue;
      pieces.delete(target);
      observer.unobserve(target);
    }
    show();
  }

  function show() {
    const wasSeen = next.hidden;
    next.hidden = pieces.size === 0;
    for (const button of accepting) button.setAttribute('aria-disabled', String(!next.hidden));
    place.firstChild.textContent = text();
    if (next.hidden && !wasSeen) onSeen(text());
  }

  function text() {
    const parts = new Set([...pieces].map((piece) => piece.closest('.part'))).size;
    if (count === 1) return parts === 0 ? 'All of it was in view.' : 'Not all of it was in view yet.';
    return parts === 0 ? `All ${count} parts were in view.` : `${parts} of ${count} parts not yet seen.`;
  }

  function showNext() {
    const [piece] = pieces;
    piece?.scrollIntoView({ block: 'start' });
    piece?.closest('.part').focus({ preventScroll: true });
  }

  next.addEventListener('click', (event) => {
    if (!guard.blocksClick(event)) showNext();
  });
  // In the box, too, these keys turn the pages of the review.
  addEventListener('keydown', (event) => {
    const { key, target } = event;
    if ((key !== 'PageDown' && key !== 'PageUp') || message.contains(target)) return;
    event.preventDefault();
    const top = (key === 'PageDown' ? 0.9 : -0.9) * Math.min(message.clientHeight, innerHeight);
    for (const scroller of [message, document.scrollingElement]) scroller.scrollBy({ top });
  });
  show();

  return {
    /** Why nothing can be accepted; undefined if it can. */
    get obstacle() {
      return pieces.size === 0 ? undefined : 'Not yet. Scroll to the end.';
    },
    focus: () => message.focus({ focusVisible: false, preventScroll: true }),
  };
}
