import type { Severity } from '../notification/notification.ts';

type Child = Node | string | undefined;
type Attributes = Readonly<Record<string, string>>;

/**
 * Creates an element. Strings become text, never markup. The classes are the element's parts too, so that a page can
 * style them with `::part()`.
 */
export function create<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
    if (name === 'class') element.setAttribute('part', value);
  }
  return fill(element, ...children);
}

/** Replaces all children. */
export function fill<Parent extends Element>(parent: Parent, ...children: readonly Child[]): Parent {
  parent.replaceChildren(...children.filter((child) => child !== undefined));
  return parent;
}

/** Creates a button that does not submit the form around it. */
export function createButton(
  attributes: Attributes,
  onClick: (event: MouseEvent) => unknown,
  ...children: readonly Child[]
): HTMLButtonElement {
  const button = create('button', { type: 'button', ...attributes }, ...children);
  button.addEventListener('click', onClick);
  return button;
}

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
const CIRCLE = 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Z';

/** Paths in a 24 x 24 box, for a round stroke of width 2. */
const ICON_PATHS: Readonly<Record<Severity | 'close' | 'loading', string>> = {
  info: `${CIRCLE}M12 11v5M12 8v.01`,
  success: `${CIRCLE}m-4 9.5 2.8 2.8L16 9.5`,
  warning: 'M12 4 2.5 20h19L12 4ZM12 10v4M12 17v.01',
  error: 'M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3ZM12 8v4.5M12 16v.01',
  close: 'M6 6l12 12M18 6 6 18',
  loading: 'M12 3a9 9 0 1 1-9 9',
};

export function createIcon(name: keyof typeof ICON_PATHS): SVGElement {
  const svg = document.createElementNS(SVG_NAMESPACE, 'svg');
  const path = document.createElementNS(SVG_NAMESPACE, 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  if (name === 'loading') svg.setAttribute('class', name);
  path.setAttribute('d', ICON_PATHS[name]);
  svg.append(path);
  return svg;
}
