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
/** The browser updates the sizes outside and inside one after the other, sometimes a second apart. */
const SETTLING_MS = 100;
/** A larger difference is of sizes that do not belong together. */
const MAX_FRAME_PX = 120;
/** Each waits twice as long as the one before: all together longer than a window takes to open. */
const MAX_CORRECTIONS = 6;
/** At some scales the browser rounds a size up, and again when the window moves. */
const ROUNDING_PX = 4;
/** The width outside per width inside that the frame of a window makes, without a zoom. */
const FRAME_RATIOS = { min: 0.95, max: 1.08 };

const { body } = document;

/**
 * Makes the window as high as its content, now and when the content changes, until the person gives it another size. The
 * window stays in the center until the person uses it; then its upper edge stays where it is.
 */
export function fittedWindow() {
  const { availLeft = 0, availTop = 0, availWidth, availHeight } = screen;
  /** The last zoom that the sizes showed. */
  let zoomed = 1;
  /** Inside. */
  const highest = () => Math.floor((availHeight * MAX_SHARE) / zoom());
  /** The middle of the window; undefined before its size is known. */
  let middle;
  /** The height of the content at this inner width. */
  let needed = 0;
  let measuredWidth;
  /** The outer width. Each new size would otherwise be rounded up from the one before. */
  let width;
  /** What the height outside has more than inside. */
  let frame = 0;
  /** The inner height that the page asked for last. */
  let asked;
  /** True if the inner size has changed since then. */
  let isAnswered = false;
  let askedAt = -Infinity;
  /** Where the window was then. */
  let askedFrom;
  let corrections = 0;
  let isOurs = true;
  let isUsed = false;
  let settling;

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

  /** Another width breaks the lines elsewhere. With the same one nothing is measured: that would end a scroll under way. */
  function measureNewWidth() {
    if (innerWidth !== measuredWidth) measure();
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
    if (!isOpen()) return settle(SETTLING_MS);
    middle ??=
      body.dataset.centered === 'false'
        ? { x: availLeft + availWidth / 2, y: availTop + availHeight / 2 }
        : { x: screenX + outerWidth / 2, y: screenY + outerHeight / 2 };
    width ??= outerWidth;
    if (asked === undefined) measureFrame();
    const height = Math.min(needed, highest());
    if (height === asked) return;
    asked = height;
    corrections = MAX_CORRECTIONS;
    ask();
  }

  function measureFrame() {
    const difference = outerHeight - innerHeight * zoom();
    if (difference >= 0 && difference <= MAX_FRAME_PX) frame = difference;
  }

  /** One pixel less than the content needs would be a scroll bar. */
  const hasSize = () => innerHeight >= asked && innerHeight <= asked + ROUNDING_PX;

  const askedOutside = () => Math.ceil(asked * zoom() + frame);

  /** Where the left upper corner of the window belongs. */
  function place() {
    const height = askedOutside();
    return isUsed
      ? [screenX, Math.min(screenY, availTop + availHeight - height)]
      : [Math.round(middle.x - width / 2), Math.round(middle.y - height / 2)];
  }

  /** A window that is elsewhere was moved by its person or its window manager. */
  const isPlaceLost = () => !isAt(place()) && isAt(askedFrom);

  /** To ask again is to ask for the same: what the browser has not taken over yet changes nothing. */
  function ask() {
    if (!hasSize()) resizeTo(width, askedOutside());
    askedFrom = [screenX, screenY];
    if (!isAt(place())) moveTo(...place());
    askedAt = performance.now();
    isAnswered = false;
    settle(SETTLING_MS * 2 ** (MAX_CORRECTIONS - corrections));
  }

  function settle(ms) {
    clearTimeout(settling);
    settling = setTimeout(correct, ms, sizes());
  }

  /** Looks when size and place no longer change: a place that is asked for while the window opens can be lost. */
  function correct(before) {
    if (!isOurs) return;
    if (sizes() !== before || !isOpen()) return settle(SETTLING_MS);
    if (middle === undefined) return fit();
    measureNewWidth();
    pack();
    asked = Math.min(needed, highest());
    if ((hasSize() && !isPlaceLost()) || corrections === 0) return;
    corrections -= 1;
    if (isAnswered) measureFrame();
    ask();
  }

  function onResize() {
    if (middle === undefined) return fit();
    isAnswered = true;
    const before = zoomed;
    const isOpening = !isUsed && performance.now() <= OPENING_MS;
    const isInTime = isOpening || performance.now() <= askedAt + ANSWER_MS;
    if (isInTime) settle(SETTLING_MS);
    else if (!isOff(outerWidth, width) && isOff(innerWidth * before, innerWidth * zoom())) {
      asked = undefined;
      fit();
    }
    // A slow machine answers late, but as asked.
    else if (isOff(innerHeight, asked) || isOff(outerWidth, width)) isOurs = false;
    measureNewWidth();
    pack();
  }

  for (const name of ['keydown', 'pointerdown'])
    addEventListener(name, () => (isUsed = true), { capture: true, once: true });
  addEventListener('resize', onResize);
  addEventListener('toggle', fit, { capture: true });
  fit();
  return fit;
}

const isOpen = () => outerWidth >= SMALLEST_WIDTH_PX;
const sizes = () => [outerWidth, outerHeight, innerWidth, innerHeight, screenX, screenY].join();
const isAt = ([left, top]) => !isOff(left, screenX) && !isOff(top, screenY);

/** @returns true if the difference is more than rounding */
function isOff(value, expected) {
  return Math.abs(value - expected) > ROUNDING_PX;
}
