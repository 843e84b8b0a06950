import { find } from './find.js';
import { age } from './time.js';
import { unfolding } from './unfold.js';

/**
 * The list of what waits, behind a button in the header.
 *
 * @param onPress makes a handler for clicks that send
 * @param show leaves this question for the one with this id
 */
export function waitingQueue(guard, onPress, show) {
  const toggle = find('waiting');
  const panel = find('queue');
  const list = panel.querySelector('ol');

  const entries = unfolding(toggle, panel, guard);

  list.addEventListener(
    'click',
    onPress(({ target }) => {
      const { id } = target.closest('button')?.dataset ?? {};
      if (id !== undefined) show(id);
    }),
  );
  addEventListener('pointerdown', ({ target }) => {
    if (!panel.contains(target) && !toggle.contains(target)) entries.close();
  });

  return {
    get isWaiting() {
      return !toggle.hidden;
    },
    /** @returns the sentence for screen readers */
    update(waiting) {
      toggle.hidden = waiting.length === 0;
      if (waiting.length === 0) entries.close();
      toggle.textContent = `${waiting.length} waiting`;
      const { id } = list.contains(document.activeElement) ? document.activeElement.dataset : {};
      list.replaceChildren(...waiting.map(listItem));
      if (id !== undefined) (list.querySelector(`[data-id="${CSS.escape(id)}"]`) ?? toggle).focus();
      if (waiting.length === 0) return '';
      return waiting.length === 1 ? '1 more question waits.' : `${waiting.length} more questions wait.`;
    },
    close: entries.close,
  };
}

/** A question of another process can only wait for its turn. */
function listItem({ id, caller, since, firstLine, here }) {
  const item = document.createElement('li');
  const entry = document.createElement(here ? 'button' : 'div');
  if (here) Object.assign(entry, { type: 'button' }).dataset.id = id;
  entry.append(isolated('b', caller), element('small', age(since)), isolated('span', firstLine));
  if (!here)
    entry.append(Object.assign(element('small', 'Waits in another program.'), { className: 'note' }));
  item.append(entry);
  return item;
}

function isolated(name, text) {
  const outer = document.createElement(name);
  outer.append(element('bdi', text));
  return outer;
}

function element(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}
