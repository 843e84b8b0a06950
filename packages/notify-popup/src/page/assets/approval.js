import { find } from './find.js';
import { unfolding } from './unfold.js';

/**
 * The decision on a call: Deny, or a button for how long it is allowed. Further calls of the same tool join it.
 *
 * @param onPress makes a handler for clicks that send
 * @param decide gets the answer, with the ids of the calls that it is about, and the call if it is one of several
 * @param onChange called when the page may have another height
 * @returns undefined if the page has no decision
 */
export function approval(guard, onPress, decide, onChange) {
  if (find('deny') === null) return undefined;
  const toggle = find('more-toggle');
  /** How long a call is allowed. A review has one answer. */
  const more = toggle && unfolding(toggle, find('more'), guard);
  const asked = find('asked');

  const shownIds = () => [...(asked?.children ?? [])].map(({ dataset }) => dataset.id);

  function press({ dataset: { scope } }, ids, call) {
    decide(scope === undefined ? { type: 'deny', ids } : { type: 'allow', scope, ids }, call);
  }

  for (const button of document.querySelectorAll('#deny, #form [data-scope]'))
    button.addEventListener(
      'click',
      onPress(() => press(button, shownIds())),
    );
  // Of one call among several. A review has none.
  asked?.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    const call = button?.closest('.call');
    if (call) onPress(() => press(button, [call.dataset.id], call))(event);
  });

  return {
    /** In the box, with Enter. */
    denyAll: () => press(find('deny'), shownIds()),
    /** What was pressed before it, or soon after, was not meant for what is there now. */
    update({ html }) {
      const template = document.createElement('template');
      template.innerHTML = html;
      const calls = [...template.content.children];
      const known = new Map([...asked.children].map((call) => [call.dataset.id, call]));
      const isSame = calls.length === known.size && calls.every(({ dataset }) => known.has(dataset.id));
      if (!isSame) guard.start();
      for (const call of calls) {
        const before = known.get(call.dataset.id);
        known.delete(call.dataset.id);
        // What is unfolded in it stays so.
        if (before === undefined) asked.append(call);
        else before.querySelector('.equal').replaceWith(call.querySelector('.equal'));
      }
      for (const gone of known.values()) gone.remove();
      if (isSame) return;
      // It was of the call that waited alone.
      document.querySelector('.object')?.remove();
      const isAlone = calls.length === 1;
      for (const button of [find('deny'), find('allow')])
        button.textContent = isAlone ? button.dataset.one : button.dataset.all;
      find('status').textContent =
        `${isAlone ? 'One call waits' : `${calls.length} calls wait`} for your decision.`;
      onChange();
    },
    /** True for a button that allows: Enter never presses it. */
    allows: (target) => target.closest?.('[data-scope]') !== null,
    /** @returns true if the choices were unfolded */
    close: () => more?.close() === true,
  };
}
