/** A press right after the window got the focus, or after the list has moved, was meant for something else. */
const FOCUS_MS = 300;
const MOVED_MS = 600;

let focusedAt = document.hasFocus() ? -Infinity : Infinity;
let movedAt = -Infinity;

addEventListener('focus', () => (focusedAt = performance.now()));
addEventListener('blur', () => (focusedAt = Infinity));

/** The list of what needs the person has moved under the pointer. */
export function moved(): void {
  movedAt = performance.now();
}

let pressedAt = 0;
let isMeant = true;
let isPressing = false;
const begin = () => {
  isPressing = true;
  pressedAt = performance.now();
  isMeant = pressedAt - focusedAt >= FOCUS_MS && pressedAt - movedAt >= MOVED_MS;
};
addEventListener('pointerdown', begin, { capture: true });
addEventListener(
  'keydown',
  (event) => {
    // A key that is held down repeats the press before.
    if (event.repeat) isMeant = false;
    else begin();
  },
  { capture: true },
);

// Assistive technology clicks without a press.
addEventListener(
  'click',
  () => {
    if (!isPressing) begin();
    isPressing = false;
  },
  { capture: true },
);

/**
 * True if the present press was meant for what it hits.
 *
 * @param changedAt when that was shown, or has become something else
 */
export function wasMeant(changedAt = -Infinity): boolean {
  return isMeant && movedAt < pressedAt && pressedAt - changedAt >= MOVED_MS;
}
