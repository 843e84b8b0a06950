/** Of the height of the screen, without the frame of the window. */
const MAX_SHARE = 0.77;
/** Below this height, and only if not everything fits, the page is packed closely. */
const LOW_PX = 420;
/** A smaller window does not have its size yet. */
const SMALLEST_WIDTH_PX = 200;
/** A later change of the size is the person's. */
const ANSWER_MS = 1000;
const MAX_CORRECTIONS = 5;
/** The browser rounds sizes at some scales. */
const ROUNDING_PX = 2;

const { body } = document;

/**
 * Makes the window as high as its content, now and when the content changes, until the person gives it another size. The
 * window stays in the center until the person uses it; then its upper edge stays where it is.
 */
export function fittedWindow() {
  const { availLeft = 0, availTop = 0, availWidth, availHeight } = screen;
  const highest = Math.floor(availHeight * MAX_SHARE);
  /** The middle of the window; undefined before its size is known. */
  let middle;
  /** The height that the page asked for last. */
  let asked;
  let askedAt = -Infinity;
  let corrections = 0;
  let isOurs = true;
  let isUsed = false;
  body.style.setProperty('--highest', `${highest}px`);

  function neededHeight() {
    body.removeAttribute('data-low');
    body.toggleAttribute('data-measured', true);
    const { height } = body.getBoundingClientRect();
    body.removeAttribute('data-measured');
    return Math.ceil(height);
  }

  function pack(needed) {
    const isCut = needed > innerHeight + ROUNDING_PX;
    body.toggleAttribute('data-fits', !isCut);
    body.toggleAttribute('data-low', isCut && innerHeight <= LOW_PX);
  }

  function fit() {
    const needed = neededHeight();
    pack(needed);
    if (!isOurs || outerWidth < SMALLEST_WIDTH_PX) return;
    middle ??=
      body.dataset.centered === 'false'
        ? { x: availLeft + availWidth / 2, y: availTop + availHeight / 2 }
        : { x: screenX + outerWidth / 2, y: screenY + outerHeight / 2 };
    const height = Math.min(needed, highest);
    if (height === asked) return;
    asked = height;
    askedAt = performance.now();
    corrections = MAX_CORRECTIONS;
    ask();
  }

  function ask() {
    const height = outerHeight + asked - innerHeight;
    const left = isUsed ? screenX : Math.round(middle.x - outerWidth / 2);
    const top = isUsed
      ? Math.min(screenY, availTop + availHeight - height)
      : Math.round(middle.y - height / 2);
    if (Math.abs(asked - innerHeight) > ROUNDING_PX) resizeTo(outerWidth, height);
    if (left !== screenX || top !== screenY) moveTo(left, top);
  }

  /** The sizes inside and outside do not change at the same time, so the first answer can be another size. */
  function onResize() {
    if (middle === undefined) return fit();
    if (performance.now() > askedAt + ANSWER_MS) isOurs = false;
    else if (isOurs && Math.abs(asked - innerHeight) > ROUNDING_PX && corrections-- > 0) ask();
    pack(neededHeight());
  }

  for (const name of ['keydown', 'pointerdown'])
    addEventListener(name, () => (isUsed = true), { capture: true, once: true });
  addEventListener('resize', onResize);
  addEventListener('toggle', fit, { capture: true });
  fit();
  return fit;
}
