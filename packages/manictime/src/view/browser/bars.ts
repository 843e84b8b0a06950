// A bar of a day shows its details under the pointer and with the keyboard: in a report, in the view and on the page of a desk.

export function barOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('.bar') : null;
}

function showDetails(target: EventTarget | null): void {
  const bar = barOf(target);
  const details = bar?.closest('section')?.querySelector('.details');
  if (bar !== null && details instanceof HTMLElement) details.textContent = bar.ariaLabel;
}

document.addEventListener('pointerover', ({ target }) => showDetails(target));
document.addEventListener('focusin', ({ target }) => showDetails(target));

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowLeft: -1,
  Home: -Infinity,
  End: Infinity,
};

document.addEventListener('keydown', (event) => {
  const step = STEPS[event.key];
  const { activeElement } = document;
  const bars = [...(activeElement?.closest('.track')?.querySelectorAll<HTMLElement>('.bar') ?? [])];
  const at = bars.findIndex((bar) => bar === activeElement);
  if (step === undefined || at === -1) return;
  event.preventDefault();
  const next = bars[Math.min(Math.max(at + step, 0), bars.length - 1)];
  for (const bar of bars) bar.tabIndex = bar === next ? 0 : -1;
  next?.focus();
});
