/** The text box: it grows with its text, and everything that the page writes into it can be undone with Ctrl+Z. */
export function replyBox(element) {
  let isTouched = element.value !== '';

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
    // The only way to change a text box that the person can undo.
    if (!document.execCommand('insertText', false, text)) {
      element.setRangeText(text, element.selectionStart, element.selectionEnd, 'end');
      element.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }
  }

  element.addEventListener('input', () => {
    isTouched = true;
    grow();
  });
  element.setSelectionRange(element.value.length, element.value.length);
  grow();

  return {
    element,
    /** To be called when the style sheet sets other heights. */
    grow,
    get text() {
      return element.value;
    },
    /** True after any change, also if the box is empty again. */
    get isTouched() {
      return isTouched;
    },
    get isBlank() {
      return element.value.trim() === '';
    },
    onChange: (handler) => element.addEventListener('input', handler),
    replace(text) {
      element.setSelectionRange(0, element.value.length);
      write(text);
    },
    /** Writes at the end, on a new line if text exists. */
    append(text) {
      const { value } = element;
      element.setSelectionRange(value.length, value.length);
      write(value === '' || value.endsWith('\n') ? text : `\n${text}`);
    },
  };
}
