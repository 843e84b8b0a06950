import type { Severity } from '../notification/notification.ts';

/** What is falsy is left out. */
type Child = Node | string | false | undefined;
type Attributes = Readonly<Record<string, string>>;

/** Creates an element. Strings become text, never markup. */
export function create<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  return fill(setAttributes(document.createElement(tag), attributes), ...children);
}

/** The classes are the element's parts too, so that a page can style them with `::part()`. */
export function setAttributes<Changed extends Element>(element: Changed, attributes: Attributes): Changed {
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
    if (name === 'class') element.setAttribute('part', value);
  }
  return element;
}

/** Replaces all children. */
export function fill<Parent extends Element>(parent: Parent, ...children: readonly Child[]): Parent {
  parent.replaceChildren(...children.flatMap((child) => child || []));
  return parent;
}

/** Creates a button that does not submit the form around it. */
export function createButton(
  attributes: Attributes,
  onClick: (event: MouseEvent) => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const button = create('button', { type: 'button', ...attributes }, ...children);
  listen(button, { click: onClick });
  return button;
}

/** Events of pages happen on elements. */
type ElementEvent<Type extends Event> = Type & {
  readonly target: HTMLElement;
  readonly relatedTarget?: HTMLElement | null;
};
type Listeners = {
  readonly [Type in keyof DocumentEventMap]?: (event: ElementEvent<DocumentEventMap[Type]>) => void;
};

/** Adds a listener for each event. */
export function listen(
  target: Window | Document | HTMLElement,
  listeners: Listeners,
  options?: AddEventListenerOptions,
): void {
  for (const [type, listener] of Object.entries(listeners)) {
    // Each listener has the type of its event, which happens on an element.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    target.addEventListener(type, listener as EventListener, options);
  }
}

/** Whether the event happened on a button. */
export function isOnButton({ target }: ElementEvent<Event>): boolean {
  return target.closest('button') !== null;
}

const CIRCLE = 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Z';

/** Paths in a 24 x 24 box, for a round stroke of width 2. */
const ICON_PATHS: Readonly<Record<Severity | 'close' | 'loading', string>> = {
  info: `${CIRCLE}M12 11v5M12 8v.01`,
  success: `${CIRCLE}M8 12l3 3 5-6`,
  warning: 'M12 4 3 20h18ZM12 10v4M12 17v.01',
  error: 'M8 3h8l5 5v8l-5 5H8l-5-5V8ZM12 8v4M12 16v.01',
  close: 'M6 6l12 12M18 6 6 18',
  loading: 'M12 3a9 9 0 1 1-9 9',
};

export function createIcon(name: keyof typeof ICON_PATHS): SVGElement {
  const path = setAttributes(createSvg('path'), { d: ICON_PATHS[name] });
  return fill(setAttributes(createSvg('svg'), { viewBox: '0 0 24 24', 'aria-hidden': 'true' }), path);
}

function createSvg(tag: 'svg' | 'path'): SVGElement {
  return document.createElementNS('http://www.w3.org/2000/svg', tag);
}
