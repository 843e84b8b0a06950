/**
 * Quick replies. A click takes one. A digit alone in the box, or the whole text of a reply, marks one; any other text turns
 * them off.
 *
 * @param part the part of the page that has them
 * @param onPress makes a handler for clicks that send
 * @param send called with the text of the reply that was clicked
 */
export function quickReplies(part, box, onPress, send) {
  const buttons = [...part.querySelectorAll('.replies button')];
  const texts = buttons.map((button) => button.dataset.reply);

  function marked() {
    if (texts.includes(box.text)) return box.text;
    return /^[1-9]$/.test(box.text) ? texts[Number(box.text) - 1] : undefined;
  }

  function update() {
    const reply = marked();
    for (const button of buttons) {
      // A button with `disabled` takes the keyboard from the box when it is pressed.
      button.setAttribute('aria-disabled', String(reply === undefined && box.text !== ''));
      button.setAttribute('aria-pressed', String(button.dataset.reply === reply));
    }
  }

  for (const button of buttons) {
    button.addEventListener(
      'click',
      onPress(() => {
        if (button.ariaDisabled !== 'true') send(button.dataset.reply);
      }),
    );
  }
  box.onChange(update);
  if (buttons.length > 0) update();

  return {
    /** The text of the marked reply; undefined if none is marked. */
    marked,
  };
}
