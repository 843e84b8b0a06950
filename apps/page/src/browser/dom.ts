import { avatarOf } from '@deskside/look/avatar';

/** Every text of others goes through here: as text, or as HTML that the desk has made safe. */

interface Policy {
  createHTML(html: string): string;
}

declare global {
  interface Window {
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { createHTML: (html: string) => string }): Policy;
    };
  }
}

const policy: Policy = window.trustedTypes?.createPolicy('deskside-html', { createHTML: (html) => html }) ?? {
  createHTML: (html) => html,
};

/** Only for HTML of the desk, in which every text is escaped. */
export function setHtml(node: HTMLElement, html: string): void {
  node.innerHTML = policy.createHTML(html);
}

/** @throws Error if the document has no such element */
export function byId<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`no ${id}`);
}

/** A new element; its texts choose their own direction. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...children: readonly (string | Node)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.append(...children);
  return made;
}

/** A text that an agent or another program wrote. */
export function foreign<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  text: string,
): HTMLElementTagNameMap[Tag] {
  const made = element(tag, className, text);
  made.dir = 'auto';
  return made;
}

/** The first letter of an agent in its color, as in its window. */
export function avatar(caller: string): HTMLElement {
  const { initial, color } = avatarOf(caller);
  const made = element('span', 'avatar', initial);
  made.ariaHidden = 'true';
  made.dataset['color'] = color;
  return made;
}

export function button(text: string, className: string, press = () => {}): HTMLButtonElement {
  const made = element('button', className, text);
  made.type = 'button';
  made.addEventListener('click', press);
  return made;
}

const DRAFT = 'draft ';

/** A box that grows with its text. What is typed survives a reload. */
export function draftBox(id: string, label: string): HTMLTextAreaElement {
  const box = element('textarea', '');
  box.rows = 1;
  box.dir = 'auto';
  box.setAttribute('aria-label', label);
  box.value = draftOf(id);
  box.addEventListener('input', () => sessionStorage.setItem(DRAFT + id, box.value));
  return box;
}

export function draftOf(id: string): string {
  return sessionStorage.getItem(DRAFT + id) ?? '';
}

export function forgetDraft(id: string): void {
  sessionStorage.removeItem(DRAFT + id);
}

/** Safari sends the key that ends a conversion after the conversion: only its code says what it is. */
export function isOfInputMethod({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === 229;
}

/** Enter sends a text; Shift and Enter is a new line. */
export function onEnter(box: HTMLTextAreaElement, send: () => void): void {
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || isOfInputMethod(event)) return;
    event.preventDefault();
    if (box.value.trim() !== '') send();
  });
}

/** Hides something that a button shows. @returns what the button does: show or hide it */
export function toggle(control: HTMLElement, shown: HTMLElement): () => void {
  const set = (isHidden: boolean) => {
    shown.hidden = isHidden;
    control.setAttribute('aria-expanded', String(!isHidden));
  };
  const change = () => set(!shown.hidden);
  set(true);
  control.addEventListener('click', change);
  return change;
}

/** A line that assistive technology reads when it changes. */
export function statusLine(): HTMLElement {
  const line = element('p', 'soft');
  line.setAttribute('role', 'status');
  return line;
}

const MINUTE_MS = 60_000;

/** `now`, `3 min`, `2 h 5 min` */
export function ageOf(iso: string): string {
  const ageMs = Date.now() - Date.parse(iso);
  return ageMs < MINUTE_MS ? 'now' : durationText(ageMs);
}

/** `34 s`, `3 min`, `2 h 5 min` */
export function durationText(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.round(ms / 1000)} s`;
  const minutes = Math.floor(ms / MINUTE_MS);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `09:41` on the clock of the desk. */
export function timeOf(iso: string): string {
  return iso.slice(11, 16);
}
