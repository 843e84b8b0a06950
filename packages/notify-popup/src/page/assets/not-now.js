const find = (id) => document.getElementById(id);

/**
 * "Not now" unfolds for how long, and for which agents, nothing interrupts.
 *
 * @param onPress makes a handler for clicks that send
 * @param choose gets a period, and whether it is for all agents
 * @param onToggle called when the choices were unfolded or folded
 */
export function notNow(guard, onPress, choose, onToggle) {
  const toggle = find('not-now');
  const panel = find('quiet');
  /** What had the keyboard before the choices. */
  let before;

  function setOpen(isOpen) {
    if (panel.hidden) before = document.activeElement;
    panel.hidden = !isOpen;
    toggle.setAttribute('aria-expanded', String(isOpen));
    onToggle();
  }

  toggle.addEventListener('click', (event) => {
    if (!guard.blocksClick(event)) setOpen(panel.hidden);
  });
  panel.addEventListener(
    'click',
    onPress(({ target }) => {
      const { period, all } = target.closest('button')?.dataset ?? {};
      if (period !== undefined) choose(period, all !== undefined);
    }),
  );

  return {
    /** @param detail of a click: 0 for a key, which then goes on in the choices */
    open({ detail }) {
      setOpen(true);
      if (detail === 0) panel.querySelector('button').focus();
    },
    /** @returns true if the choices were unfolded */
    close() {
      const wasOpen = !panel.hidden;
      if (wasOpen && panel.contains(document.activeElement)) before.focus();
      if (wasOpen) setOpen(false);
      return wasOpen;
    },
  };
}
