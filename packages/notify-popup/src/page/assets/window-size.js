// Sizes inside of the window are in pixels of the page, the others in pixels of the screen.

/** Of the height of the screen, without the frame of the window. */
const MAX_SHARE = 0.77;
/** Below this height, and only if not everything fits, the page is packed closely. */
const LOW_PX = 420;
/** A smaller window does not have its size yet. */
const SMALLEST_WIDTH_PX = 200;
/** A later change to another size is the person's. */
const ANSWER_MS = 1000;
/** So long after the page has begun, a window manager may still give the window its first size again. */
const OPENING_MS = 5000;
/** The browser updates the sizes outside and inside one after the other. */
const SETTLING_MS = 100;
/** A larger difference is of sizes that do not belong together. */
const MAX_FRAME_PX = 120;
/** At some scales the browser rounds a size up. */
const ROUNDING_PX = 4;
/** The width outside per width inside that the frame of a window makes, without a zoom. */
const FRAME_RATIOS = { min: 0.95, max: 1.08 };

const { body } = document;

/**
 * Makes the window as high as its content until the person gives it another size. It
 * opens with about its size: who opens it places it, and its upper edge stays where it is.
 *
 * @returns to be called when the content is there, and when it changes
 */
export function fittedWindow() {
  const { availLeft = 0, availTop = 0, availWidth, availHeight } = screen;
  /** The last zoom that the sizes showed. */
  let zoomed = 1;
  /** The height of the content at this inner width. */
  let needed = 0;
  let measuredWidth;
  /** The outer width. Each new size would otherwise be rounded up from the one before. */
  let width;
  /** What the height outside has more than inside. */
  let frame = 0;
  /** The inner height that the page asked for last. */
  let asked;
  let askedAt = -Infinity;
  let isCorrected = false;
  let isOurs = true;
  let isUsed = false;
  let settling;

  /** Inside. */
  const highest = () => Math.floor((availHeight * MAX_SHARE) / zoom());

  /** The browser remembers a zoom of the person for all windows. */
  function zoom() {
    const ratio = outerWidth / innerWidth;
    // A zoom changes both directions, developer tools and a size that is not known yet do not.
    const rest = outerHeight - innerHeight * ratio;
    if (isOpen() && rest >= -ROUNDING_PX && rest <= MAX_FRAME_PX)
      zoomed = ratio >= FRAME_RATIOS.min && ratio <= FRAME_RATIOS.max ? 1 : ratio;
    return zoomed;
  }

  function measure() {
    body.style.setProperty('--highest', `${highest()}px`);
    body.removeAttribute('data-low');
    body.toggleAttribute('data-measured', true);
    needed = Math.ceil(body.getBoundingClientRect().height);
    body.removeAttribute('data-measured');
    measuredWidth = innerWidth;
  }

  function pack() {
    const isCut = needed > innerHeight + ROUNDING_PX;
    body.toggleAttribute('data-fits', !isCut);
    body.toggleAttribute('data-low', isCut && innerHeight <= LOW_PX);
  }

  function fit() {
    measure();
    pack();
    if (!isOurs) return;
    // No event says that a window has its size, if its page had it before.
    if (!isOpen()) return later(fit);
    isCorrected = false;
    ask();
  }

  /** @returns false if the window has its size */
  function ask() {
    asked = Math.min(needed, highest());
    // One pixel less than the content needs would be a scroll bar.
    if (innerHeight >= asked && innerHeight <= asked + ROUNDING_PX) return false;
    // A tiling window manager may have given it another one meanwhile.
    width ??= Math.min(Number(body.dataset.width) || outerWidth, availWidth);
    const height = Math.ceil(asked * zoom() + measuredFrame());
    askedAt = performance.now();
    resizeTo(width, height);
    const lowest = availTop + availHeight - height;
    if (body.dataset.centered === 'false' && !isUsed)
      moveTo(availLeft + (availWidth - width) / 2, availTop + (availHeight - height) / 2);
    else if (screenY > lowest) moveTo(screenX, lowest);
    return true;
  }

  function measuredFrame() {
    const difference = outerHeight - innerHeight * zoom();
    if (difference >= 0 && difference <= MAX_FRAME_PX) frame = difference;
    return frame;
  }

  function later(work) {
    clearTimeout(settling);
    settling = setTimeout(() => work(), SETTLING_MS);
  }

  function onResize() {
    if (asked === undefined) return fit();
    const before = zoomed;
    const isOpening = !isUsed && performance.now() <= OPENING_MS;
    if (isOpening || performance.now() <= askedAt + ANSWER_MS) {
      if (!isCorrected) later(() => (isCorrected = isOurs && ask()));
    } else if (!isOff(outerWidth, width) && isOff(innerWidth * before, innerWidth * zoom())) fit();
    // A slow machine answers late, but as asked.
    else if (isOff(innerHeight, asked) || isOff(outerWidth, width)) isOurs = false;
    // Another width breaks the lines elsewhere. To measure again at the same one would end a scroll under way.
    if (innerWidth !== measuredWidth) measure();
    pack();
  }

  for (const name of ['keydown', 'pointerdown'])
    addEventListener(name, () => (isUsed = true), { capture: true, once: true });
  addEventListener('resize', onResize);
  addEventListener('toggle', fit, { capture: true });
  return fit;
}

const isOpen = () => outerWidth >= SMALLEST_WIDTH_PX;

/** @returns true if the difference is more than rounding */
function isOff(value, expected) {
  return Math.abs(value - expected) > ROUNDING_PX;
}
