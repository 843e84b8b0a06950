type Child = Node | string | undefined;
type Attributes = Readonly<Record<string, string>>;

/** An element with children; strings become text, never markup. Its classes are its parts, for styling from outside. */
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

/** Puts these children in place of others. */
export function fill<Parent extends Element>(parent: Parent, ...children: readonly Child[]): Parent {
  parent.replaceChildren(...children.filter((child) => child !== undefined));
  return parent;
}

/** A button that does not submit a form around it. */
export function createButton(
  attributes: Attributes,
  onClick: (event: MouseEvent) => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const button = create('button', { type: 'button', ...attributes }, ...children);
  button.addEventListener('click', onClick);
  return button;
}
