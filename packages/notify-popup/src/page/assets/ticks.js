/**
 * A digit alone in the box ticks or unticks the choice with its number, as it marks a quick reply. The next digit, or Enter,
 * takes it out of the box; anything else takes the tick back, and the digit is text.
 *
 * @param inputs the checkboxes
 */
export function digitTicks(inputs, box) {
  /** What the digit in the box has ticked or unticked. */
  let pending;
  const inputOf = (text) => (/^[1-9]$/.test(text) ? inputs[Number(text) - 1] : undefined);

  function press(input) {
    pending = input;
    input.checked = !input.checked;
  }

  function update() {
    const { text } = box;
    if (pending === undefined) {
      const input = inputOf(text);
      if (input !== undefined) press(input);
      return;
    }
    const digit = String(inputs.indexOf(pending) + 1);
    if (text === digit) return;
    const rest = text.startsWith(digit) ? text.slice(1) : text;
    if (inputOf(rest) === undefined) press(pending);
    pending = undefined;
    if (rest === text) update();
    // The box reports its new text.
    else if (inputOf(rest) !== undefined) box.replace(rest);
  }

  if (inputs.length > 0) box.onChange(update);
  return {
    /** The text in the box without a digit that ticks. */
    get text() {
      return pending === undefined ? box.text : '';
    },
    /** The tick counts. */
    commit() {
      if (pending === undefined) return;
      pending = undefined;
      box.replace('');
    },
  };
}
