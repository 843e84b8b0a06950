import { MODIFIERS } from './keys.js';

/** These keys leave the text and its selection as they are. */
const NEUTRAL_KEYS = new Set([...MODIFIERS, 'Enter', 'Tab', 'Escape']);

/**
 * The text box: it grows with its text, and all that the page writes into it can be undone with Ctrl+Z.
 *
 * @param isTyping the person types in another window: what comes in before `settle` is not meant for this one.
 *   It is shown selected, so that the next key replaces it, and is no part of the text until the person moves
 *   in it.
 */
export function replyBox(element, isTyping) {
  let isTouched = element.value !== '';
  /** The text without what was meant for another window. Undefined if everything is meant for this one. */
  let meant = isTyping ? element.value : undefined;
  let isSettled = false;
  let isWriting = false;

  /** The style sheet sets the least and the largest height. */
  function grow() {
    const { scrollTop } = element;
    element.style.height = 'auto';
    const borders = element.offsetHeight - element.clientHeight;
    element.style.height = `${element.scrollHeight + borders}px`;
    const isAtEnd = element.selectionEnd === element.value.length;
    element.scrollTop = isAtEnd ? element.scrollHeight : scrollTop;
  }

  function write(text) {
    element.focus();
    isWriting = true;
    // The only way to change a text box that the person can undo.
    if (!document.execCommand('insertText', false, text))
      element.setRangeText(text, element.selectionStart, element.selectionEnd, 'end');
    isWriting = false;
    element.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }

  function selectStrays() {
    const { value } = element;
    const end = [...meant].findIndex((unit, index) => unit !== value[index]);
    if (end >= 0) meant = meant.slice(0, end);
    element.setSelectionRange(meant.length, value.length);
  }

  /** The person can take it back with Ctrl+Z. */
  function removeStrays() {
    if (meant === undefined) return;
    if (element.value !== meant) {
      selectStrays();
      write('');
    }
    meant = undefined;
  }

  // What is written is reported line by line, and each report would measure the page.
  element.addEventListener('input', (event) => isWriting && event.stopImmediatePropagation());
  element.addEventListener('input', () => {
    if (isSettled) meant = undefined;
    isTouched = meant === undefined || meant !== '';
    grow();
  });
  element.addEventListener('keydown', ({ key }) => {
    if (isSettled && !NEUTRAL_KEYS.has(key)) meant = undefined;
  });
  addEventListener('pointerdown', ({ target }) => {
    if (target === element) removeStrays();
  });
  element.setSelectionRange(element.value.length, element.value.length);
  grow();

  return {
    element,
    get text() {
      return meant ?? element.value;
    },
    /** True after any change, also if the box is empty again. */
    get isTouched() {
      return isTouched;
    },
    get isBlank() {
      return (meant ?? element.value).trim() === '';
    },
    /** From now on what comes in is meant for this box. */
    settle() {
      isSettled = true;
      if (meant === element.value) meant = undefined;
      if (meant !== undefined) selectStrays();
    },
    onChange: (handler) => element.addEventListener('input', handler),
    replace(text) {
      meant = undefined;
      element.setSelectionRange(0, element.value.length);
      write(text);
    },
    /** Writes at the end, on a new line if text exists. */
    append(text) {
      removeStrays();
      const { value } = element;
      element.setSelectionRange(value.length, value.length);
      write(value === '' || value.endsWith('\n') ? text : `\n${text}`);
    },
  };
}
