const find = (id) => document.getElementById(id);

/** Positions are rounded: a part of a line may be cut. */
const WHOLE = 0.9;

/**
 * What of a review the person has not seen. A piece of text is seen when all of it was in view.
 *
 * @param onInView called with the places of pieces that came into view
 * @param onSeen called with a text for screen readers when everything was seen
 * @returns undefined if the page has no review
 */
export function unseenParts(guard, onInView, onSeen) {
  const place = find('unseen');
  if (place === null) return undefined;
  const next = find('next-unseen');
  const message = find('message');
  const accepting = document.querySelectorAll('[data-scope]');
  const count = document.querySelectorAll('.part').length;
  /** In the order of the page. */
  const all = [...document.querySelectorAll('.piece')];
  const pieces = new Set(all);
  const observer = new IntersectionObserver(onChange, { threshold: WHOLE });
  for (const piece of pieces) observer.observe(piece);

  function onChange(entries) {
    const places = entries
      .filter(({ isIntersecting, intersectionRatio }) => isIntersecting && intersectionRatio >= WHOLE)
      .map(({ target }) => all.indexOf(target));
    drop(places);
    if (places.length > 0) onInView(places);
  }

  function drop(places) {
    for (const piece of places.map((place) => all[place])) {
      pieces.delete(piece);
      observer.unobserve(piece);
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
    /** They were in view when this review was open before. */
    drop,
    /** Why nothing can be accepted; undefined if it can. */
    get obstacle() {
      return pieces.size === 0 ? undefined : 'Not yet. Scroll to the end.';
    },
    focus: () => message.focus({ focusVisible: false, preventScroll: true }),
  };
}
