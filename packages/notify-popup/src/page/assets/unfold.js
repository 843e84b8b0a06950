/**
 * A panel behind a button. While it is open, Escape closes it and nothing else.
 *
 * @param guard blocks a click that was meant for another window
 */
export function unfolding(toggle, panel, guard) {
  /** What had the keyboard before it was opened. */
  let before;

  function setOpen(isOpen) {
    if (panel.hidden !== isOpen) return;
    if (isOpen) before = document.activeElement;
    else if (panel.contains(document.activeElement)) before.focus();
    panel.hidden = !isOpen;
    toggle.setAttribute('aria-expanded', String(isOpen));
    // The window gets the height of its content.
    panel.dispatchEvent(new Event('toggle'));
  }

  toggle.addEventListener('click', (event) => {
    if (!guard.blocksClick(event)) setOpen(panel.hidden);
  });

  return {
    open: () => setOpen(true),
    /** @returns true if it was open */
    close() {
      const wasOpen = !panel.hidden;
      setOpen(false);
      return wasOpen;
    },
  };
}
