/** Seconds left at which the countdown is said aloud. */
const SAID = new Set([30, 10]);

/** Shows the seconds left; the server's own timer decides. */
export function startCountdown(seconds, element, status) {
  const end = performance.now() + seconds * 1000;
  element.hidden = false;
  const show = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    element.textContent = left < 60 ? `${left} s` : `${Math.floor(left / 60)} min ${left % 60} s`;
    element.toggleAttribute('data-soon', left <= 10);
    if (SAID.has(left) && left < seconds) status.textContent = `${left} seconds left`;
  };
  show();
  setInterval(show, 1000);
}
