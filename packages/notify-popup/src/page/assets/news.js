/** A glance, and then so long per character. */
const GLANCE_MS = 5000;
const PER_CHARACTER_MS = 40;
const MAX_READING_MS = 30_000;
const CHECK_INTERVAL_MS = 100;

/**
 * Closes news when it has been seen for long enough to read it. Using the window proves that it is seen, and holds it open.
 *
 * @returns a function to be called if the person has seen it without using it
 */
export function closeWhenRead(close) {
  const { length } = document.getElementById('message').textContent;
  const readingMs = Math.min(GLANCE_MS + length * PER_CHARACTER_MS, MAX_READING_MS);
  const keys = document.getElementById('keys');
  let isSeen = false;
  let isUnderPointer = false;
  let closesAt = Infinity;

  function update() {
    const isUsed = isUnderPointer || document.hasFocus();
    // Without the keyboard Escape reaches another window.
    keys.hidden = !document.hasFocus();
    isSeen ||= isUsed;
    closesAt = isSeen && !isUsed ? performance.now() + readingMs : Infinity;
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
  for (const name of ['focus', 'blur']) addEventListener(name, update);
  setInterval(() => {
    if (performance.now() >= closesAt) close();
  }, CHECK_INTERVAL_MS);
  update();
  return () => {
    if (isSeen) return;
    isSeen = true;
    update();
  };
}
