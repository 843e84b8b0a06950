import { MODIFIERS } from './keys.js';

/** Keys and clicks in this time after the window opened, or got the keyboard, were meant for another window. */
const GUARD_MS = 600;
/** A press in this time after the window got the keyboard sends nothing. */
const ACTIVATION_MS = 300;

/**
 * Detects keys and clicks that were meant for another window. See docs/decisions/0037.
 *
 * Keys: those within the guard interval after the window got the keyboard. Each of them extends the interval. A key that
 * sends must also follow another key or pointer press that began after the interval. Clicks: those whose press began
 * within the interval after the page appeared; and, if they send, those whose press gave the window the keyboard, or
 * began soon after. The time of the event counts, not the time when a busy machine delivers it.
 *
 * @param onOver called when an interval for keys is over
 * @param onChange called with true when the interval for keys is over and the window has the keyboard, and with false when
 *   an interval starts again
 */
export function guardInput(onChange, onOver) {
  let keysUntil = 0;
  let clicksUntil = 0;
  let activatedAt = -Infinity;
  let pointerDownAt;
  let pressActivates = false;
  let hasPressed = false;
  let hadPressed = false;
  let overTimer;
  let accepts = false;

  function guardKeys(since) {
    keysUntil = since + GUARD_MS;
    hasPressed = false;
    report(false);
    awaitEnd();
  }

  function report(now) {
    if (now !== accepts) onChange(now);
    accepts = now;
  }

  function awaitEnd() {
    clearTimeout(overTimer);
    overTimer = setTimeout(
      () => {
        if (performance.now() < keysUntil) awaitEnd();
        else over();
      },
      keysUntil - performance.now() + 1,
    );
  }

  function over() {
    clearTimeout(overTimer);
    onOver();
    if (document.hasFocus()) report(true);
  }

  function start() {
    clicksUntil = performance.now() + GUARD_MS;
    guardKeys(performance.now());
  }

  start();
  addEventListener('focus', ({ timeStamp }) => {
    activatedAt = timeStamp;
    guardKeys(timeStamp);
  });
  addEventListener('keydown', onKey, { capture: true });
  addEventListener('pointerdown', onPointer, { capture: true });

  function onKey({ key, repeat, timeStamp }) {
    hadPressed = hasPressed;
    if (MODIFIERS.has(key)) return;
    if (timeStamp < keysUntil) keysUntil = timeStamp + GUARD_MS;
    else if (!repeat) hasPressed = true;
  }

  function onPointer({ timeStamp }) {
    pointerDownAt = timeStamp;
    // The window manager gives the keyboard before or after the press reaches the page.
    pressActivates = !document.hasFocus();
    if (timeStamp < clicksUntil || activates(timeStamp)) return;
    hasPressed = true;
    if (timeStamp >= keysUntil) return;
    keysUntil = 0;
    over();
  }

  function activates(pressedAt) {
    return pressActivates || pressedAt < activatedAt + ACTIVATION_MS;
  }

  /** Assistive technology clicks without a pointer. */
  function pressOf({ detail, timeStamp }) {
    return detail > 0 && pointerDownAt !== undefined ? pointerDownAt : timeStamp;
  }

  return {
    /** To be called when the person sees the page. */
    start,
    /** True if this keydown must do nothing but type. */
    blocksKey: ({ timeStamp }) => timeStamp < keysUntil,
    /** True if this keydown must not send. */
    blocksSending: ({ timeStamp }) => timeStamp < keysUntil || !hadPressed,
    /** True if this click must do nothing. */
    blocksClick: (event) => pressOf(event) < clicksUntil,
    /** True if this click must not send. */
    blocksSendingClick: (event) => pressOf(event) < clicksUntil || activates(pressOf(event)),
  };
}
