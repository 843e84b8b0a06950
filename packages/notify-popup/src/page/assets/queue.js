import { age } from './time.js';

const find = (id) => document.getElementById(id);

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

  function setOpen(isOpen) {
    if (panel.hidden !== isOpen) return;
    panel.hidden = !isOpen;
    // The window gets the height of its content.
    panel.dispatchEvent(new Event('toggle'));
    toggle.setAttribute('aria-expanded', String(isOpen));
  }

  toggle.addEventListener('click', (event) => {
    if (!guard.blocksClick(event)) setOpen(panel.hidden);
  });
  list.addEventListener(
    'click',
    onPress(({ target }) => {
      const { id } = target.closest('button')?.dataset ?? {};
      if (id !== undefined) show(id);
    }),
  );
  addEventListener('pointerdown', ({ target }) => {
    if (!panel.hidden && !panel.contains(target) && !toggle.contains(target)) setOpen(false);
  });

  return {
    get isWaiting() {
      return !toggle.hidden;
    },
    /** @returns the sentence for screen readers */
    update(waiting) {
      toggle.hidden = waiting.length === 0;
      if (waiting.length === 0) setOpen(false);
      toggle.textContent = `${waiting.length} waiting`;
      const { id } = list.contains(document.activeElement) ? document.activeElement.dataset : {};
      list.replaceChildren(...waiting.map(listItem));
      if (id !== undefined) (list.querySelector(`[data-id="${CSS.escape(id)}"]`) ?? toggle).focus();
      if (waiting.length === 0) return '';
      return waiting.length === 1 ? '1 more question waits.' : `${waiting.length} more questions wait.`;
    },
    /** @returns true if the list was open */
    close() {
      const wasOpen = !panel.hidden;
      // A press has left the keyboard in the box.
      if (wasOpen && panel.contains(document.activeElement)) toggle.focus();
      if (wasOpen) setOpen(false);
      return wasOpen;
    },
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
