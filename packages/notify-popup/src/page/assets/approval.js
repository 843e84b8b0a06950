const find = (id) => document.getElementById(id);

/**
 * The decision on a call: Deny, or a button for how long it is allowed.
 *
 * @param onPress makes a handler for clicks that send
 * @param allow gets `once`, `session` or `always`
 * @param onToggle called when the choices were unfolded or folded
 */
export function approval(guard, onPress, allow, onToggle) {
  const toggle = find('more-toggle');
  const panel = find('more');

  function setOpen(isOpen) {
    panel.hidden = !isOpen;
    toggle.setAttribute('aria-expanded', String(isOpen));
    onToggle();
  }

  function showCalls(calls) {
    find('calls').textContent = calls > 1 ? `${calls} equal calls wait. "Allow once" runs one of them.` : '';
  }

  for (const button of document.querySelectorAll('[data-scope]'))
    button.addEventListener(
      'click',
      onPress(() => allow(button.dataset.scope)),
    );
  toggle?.addEventListener('click', (event) => {
    if (!guard.blocksClick(event)) setOpen(panel.hidden);
  });
  showCalls(Number(find('calls').dataset.calls));

  return {
    showCalls,
    /** True for a button that allows: Enter never presses it. */
    allows: (target) => target.closest?.('[data-scope]') !== null,
    /** @returns true if the choices were unfolded */
    close() {
      const wasOpen = panel?.hidden === false;
      if (wasOpen && panel.contains(document.activeElement)) toggle.focus();
      if (wasOpen) setOpen(false);
      return wasOpen;
    },
  };
}
