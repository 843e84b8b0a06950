/** Screen readers announce the countdown at these values. */
const ANNOUNCED_SECONDS = new Set([30, 10]);
const SOON_SECONDS = 10;

/**
 * Shows the seconds left. With a server, its timer decides.
 *
 * @param onOver called when no second is left, and then each second
 * @returns a function that stops it
 */
export function startCountdown(element, seconds, announce, onOver = () => undefined) {
  const end = performance.now() + seconds * 1000;
  const show = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    element.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    element.toggleAttribute('data-soon', left <= SOON_SECONDS);
    if (ANNOUNCED_SECONDS.has(left) && left < seconds) announce(`${left} seconds left`);
    if (left === 0) onOver();
  };
  element.hidden = false;
  show();
  const timer = setInterval(show, 1000);
  return () => {
    clearInterval(timer);
    element.hidden = true;
  };
}
