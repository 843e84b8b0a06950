/** Milliseconds. */
const REST = 600;

/**
 * Tells keys and clicks meant for this window from those that were on their way to another when it came up:
 * nothing counts in the first moment after the window got the focus, and as long as typing goes on without a
 * pause since then. What counts is when something was pressed, not when a busy machine came to say so.
 *
 * @returns a function that says whether to ignore what was pressed last
 */
export function guardKeys() {
  let until = performance.now() + REST;
  let pressed = 0;
  addEventListener('focus', ({ timeStamp }) => {
    until = timeStamp + REST;
  });
  addEventListener(
    'keydown',
    ({ key, timeStamp }) => {
      pressed = timeStamp;
      const types = key.length === 1 || key === 'Backspace';
      if (types && pressed < until) until = pressed + REST;
    },
    { capture: true },
  );
  addEventListener(
    'click',
    ({ timeStamp }) => {
      pressed = timeStamp;
    },
    { capture: true },
  );
  return () => pressed < until;
}
