/**
 * News closes when the person had the time to read it: 5 s and 40 ms per character, at most 30 s. The time counts while the
 * window is visible on an unlocked screen, without a break, from the next key, click or movement of the mouse in any
 * program: it shows that the person is there. A key or the pointer in the window shows it, too. The pointer and the keyboard
 * hold it open; the keyboard alone shows nothing, because a window manager may give it to a new window for a moment.
 */
const GLANCE_MS = 5000;
const PER_CHARACTER_MS = 40;
const MAX_READING_MS = 30_000;
const CHECK_INTERVAL_MS = 100;

/** @returns a function to be called when the person, without using it, begins to see it or no longer does */
export function closeWhenRead(close) {
  const texts = ['#message .text', '#missed'].map(
    (selector) => document.querySelector(selector)?.textContent ?? '',
  );
  const readingMs = Math.min(GLANCE_MS + texts.join('').length * PER_CHARACTER_MS, MAX_READING_MS);
  const keys = document.getElementById('keys');
  let isSeen = false;
  let wasUsed = false;
  let isUnderPointer = false;
  let closesAt = Infinity;

  function update() {
    const isHeld = isUnderPointer || document.hasFocus();
    // Without the keyboard Escape reaches another window.
    keys.hidden = !document.hasFocus();
    wasUsed ||= isUnderPointer;
    closesAt = (isSeen || wasUsed) && !isHeld ? performance.now() + readingMs : Infinity;
  }

  const root = document.documentElement;
  for (const [name, isUnder] of [
    ['pointerenter', true],
    ['pointerleave', false],
  ]) {
    root.addEventListener(name, () => {
      isUnderPointer = isUnder;
      update();
    });
  }
  addEventListener('keydown', () => {
    wasUsed = true;
  });
  for (const name of ['focus', 'blur']) addEventListener(name, update);
  setInterval(() => {
    if (performance.now() >= closesAt) close();
  }, CHECK_INTERVAL_MS);
  update();
  return (is) => {
    if (isSeen === is) return;
    isSeen = is;
    update();
  };
}
