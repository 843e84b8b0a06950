/** Alone they type nothing. */
export const MODIFIERS = new Set('Shift Control Alt AltGraph Meta CapsLock NumLock Fn'.split(' '));

/** The Latin letter of a shortcut; on a keyboard of another script that of the key's place. */
export function letterOf({ key, code }) {
  return /^[ -~]+$/.test(key) ? key.toLowerCase() : /^Key([A-Z])$/.exec(code)?.[1].toLowerCase();
}

/** True for a character, and for the shortcut that pastes. AltGr is Ctrl+Alt on Windows. */
export function isTyping(event, isInBox) {
  const { key, ctrlKey, altKey, metaKey } = event;
  // A space outside of the box scrolls.
  if (key === ' ') return isInBox;
  const pastes = (ctrlKey || metaKey) && !altKey && letterOf(event) === 'v';
  return pastes || (key.length === 1 && !metaKey && ctrlKey === altKey);
}

export function isUndo(event) {
  return (event.ctrlKey || event.metaKey) && letterOf(event) === 'z';
}

export function isControl(element) {
  return Boolean(element.closest?.('button, summary, a'));
}
