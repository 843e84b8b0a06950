import { listen } from '../card/dom.ts';

/**
 * What a person does with a toast stays there: a page closes dialogs at a press outside of them, and has
 * shortcuts. What happens in a node of the page is for the page, except that a press begins.
 */
export function keepPresses(host: HTMLElement, signal: AbortSignal): void {
  /** The keys whose last press began on a toast, and `pointer`. */
  const held = new Set<string>();
  const onEarly = (event: UIEvent) => {
    const { type, detail } = event;
    const isKey = event instanceof KeyboardEvent;
    const isInside = event.composedPath().includes(host);
    if (type.endsWith('down') && !(isKey && event.repeat)) {
      if (isInside) held.add(nameOf(event));
      else held.delete(nameOf(event));
    } else if (held.has(nameOf(event)) && !isInside && (type !== 'click' || detail > 0)) {
      // A selection of text ended outside, or a key has closed the toast and focus is in the page.
      event.preventDefault();
      event.stopPropagation();
    }
  };
  listen(
    window,
    {
      keydown: onEarly,
      keyup: onEarly,
      pointerdown: onEarly,
      pointerup: onEarly,
      mouseup: onEarly,
      click: onEarly,
    },
    { signal, capture: true },
  );
  const stop = (event: Event) => {
    const { type, target } = event;
    // The page waits for the end of what began there.
    const isKept = target === host && (held.has(nameOf(event)) || !type.endsWith('up'));
    if (isKept || (type !== 'keydown' && /down|start/.test(type))) event.stopPropagation();
  };
  listen(
    host,
    {
      pointerdown: stop,
      pointerup: stop,
      mousedown: stop,
      mouseup: stop,
      touchstart: stop,
      touchmove: stop,
      touchend: stop,
      click: stop,
      dblclick: stop,
      auxclick: stop,
      contextmenu: stop,
      wheel: stop,
      keydown: stop,
      keypress: stop,
      keyup: stop,
    },
    { signal, passive: true },
  );
}

function nameOf(event: Event): string {
  return event instanceof KeyboardEvent ? event.key : 'pointer';
}
