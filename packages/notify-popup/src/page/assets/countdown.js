/** Screen readers announce the countdown at these values. */
const ANNOUNCED_SECONDS = new Set([30, 10]);
const SOON_SECONDS = 10;

/** Shows the seconds left. The server's timer decides. @returns a function that stops it */
export function startCountdown(element, seconds, announce) {
  const end = performance.now() + seconds * 1000;
  const show = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    element.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    element.toggleAttribute('data-soon', left <= SOON_SECONDS);
    if (ANNOUNCED_SECONDS.has(left) && left < seconds) announce(`${left} seconds left`);
  };
  show();
  const timer = setInterval(show, 1000);
  return () => {
    clearInterval(timer);
    element.hidden = true;
  };
}
