/**
 * Quick replies: a digit fills the box, and a click sends. Both do nothing as soon as the box holds another text.
 *
 * @param send called with the text of the reply that was clicked
 */
export function quickReplies(box, guard, send) {
  const buttons = [...document.querySelectorAll('#replies button')];
  const texts = buttons.map((button) => button.dataset.reply);
  const canChoose = () => box.text === '' || texts.includes(box.text);

  function update() {
    for (const button of buttons) {
      button.disabled = !canChoose();
      button.setAttribute('aria-pressed', String(box.text === button.dataset.reply));
    }
  }

  for (const button of buttons) {
    button.addEventListener('click', (event) => {
      if (!guard.blocksClick(event)) send(button.dataset.reply);
    });
  }
  box.onChange(update);
  if (buttons.length > 0) update();

  return {
    /** @returns true if the key was a digit that filled the box */
    choose(event) {
      const text = /^[1-9]$/.test(event.key) ? texts[Number(event.key) - 1] : undefined;
      if (text === undefined || guard.blocksKey(event) || !canChoose()) return false;
      // The digit first: Ctrl+Z then turns the reply back into the digit, for an answer such as "2 weeks".
      box.replace(event.key);
      box.replace(text);
      return true;
    },
  };
}
