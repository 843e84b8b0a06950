import { unseenWords, viewGate } from '@deskside/look/gate';
import { wholeValue } from './connection.js';
import { find } from './find.js';

/** A window has the height of its page by then. Before, a part can be out of view that needs no line. */
const OPEN_MS = 600;

/**
 * What of a review, or of the calls of an approval, the person has not seen.
 *
 * @param onInView called with the places of pieces of a review that came into view
 * @param onSeen called with a text for screen readers when everything was seen
 * @param onChange called when the page may have another height
 * @returns undefined if the page has neither
 */
export function unseenParts(guard, { onInView, onSeen, onChange }) {
  const place = find('unseen');
  if (place === null) return undefined;
  const next = find('next-unseen');
  const message = find('message');
  // Calls come and go: they are not remembered when the window comes back.
  const isReview = find('asked') === null;
  const gate = viewGate((seen) => {
    if (isReview && seen.length > 0) onInView(seen.map((piece) => gate.pieces.indexOf(piece)));
    show();
  }, wholeValue);
  // The page is measured afterwards.
  take(() => undefined);

  /** The line has its place before a look, so that no button moves under the pointer. */
  function take(measure) {
    gate.watch(message);
    mark();
    reveal(message.querySelector('details.fold, .call + .call') !== null, measure);
  }

  function reveal(isNeeded, measure) {
    if (!isNeeded || !place.hidden) return;
    place.hidden = false;
    measure();
  }

  /** A button counts for its own call, else for everything. */
  function mark() {
    for (const button of document.querySelectorAll('[data-scope]'))
      button.setAttribute('aria-disabled', String(gate.unseenIn(button.closest('.call') ?? message) > 0));
  }

  function show() {
    mark();
    const unseen = gate.unseenIn(message);
    const wasSeen = next.hidden;
    next.hidden = unseen === 0;
    const text = unseenWords(unseen, message.querySelectorAll('.part').length);
    place.firstChild.textContent = text;
    if (unseen > 0 && place.hidden) setTimeout(() => reveal(gate.unseenIn(message) > 0, onChange), OPEN_MS);
    if (next.hidden && !wasSeen && !place.hidden) onSeen(text);
  }

  next.addEventListener('click', (event) => {
    if (!guard.blocksClick(event)) gate.showNext();
  });
  // In the box, too, these keys turn the pages.
  addEventListener('keydown', (event) => {
    const { key, target } = event;
    if ((key !== 'PageDown' && key !== 'PageUp') || message.contains(target)) return;
    event.preventDefault();
    const top = (key === 'PageDown' ? 0.9 : -0.9) * Math.min(message.clientHeight, innerHeight);
    for (const scroller of [message, document.scrollingElement]) scroller.scrollBy({ top });
  });

  return {
    /** These pieces of a review were in view when it was open before. */
    drop(places) {
      gate.drop(places.map((index) => gate.pieces[index]).filter(Boolean));
      show();
    },
    /** Calls have joined or gone. */
    update() {
      take(onChange);
      show();
    },
    /** Why this cannot be allowed; undefined if it can. */
    obstacle(root = message) {
      if (gate.unseenIn(root) === 0) return undefined;
      return isReview ? 'Not yet. Scroll to the end.' : 'Not yet. Look at what is folded or out of view.';
    },
    isReview,
    focus: () => message.focus({ focusVisible: false, preventScroll: true }),
  };
}
