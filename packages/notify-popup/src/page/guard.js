/** Milliseconds. */
const REST = 600;

/**
 * Tells keys and clicks meant for this window from those that were on their way to another when it came up:
 * nothing counts in the first moment after the window got the focus, and as long as typing goes on without a
 * pause since then.
 *
 * @returns a function that says whether to ignore what happens now
 */
export function guardKeys() {
  let until = performance.now() + REST;
  const guarded = () => performance.now() < until;
  addEventListener('focus', () => {
    until = performance.now() + REST;
  });
  addEventListener(
    'keydown',
    ({ key }) => {
      const types = key.length === 1 || key === 'Backspace';
      if (types && guarded()) until = performance.now() + REST;
    },
    { capture: true },
  );
  return guarded;
}
