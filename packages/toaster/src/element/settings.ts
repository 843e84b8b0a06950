import { type CardLabels, englishCardLabels } from '../card/card.ts';
import { DEFAULT_POSITION, TOAST_POSITIONS, type ToastPosition } from '../notification/notification.ts';

/** All words of the element. `{n}` and `{key}` are placeholders. */
export type Labels = CardLabels &
  Readonly<Record<'region' | 'more' | 'hint' | 'center' | 'clear' | 'closeCenter' | 'empty', string>>;

const englishLabels: Labels = {
  ...englishCardLabels,
  region: 'Notifications ({key})',
  more: '{n} more',
  hint: 'Actions: press {key}.',
  center: 'Notifications',
  clear: 'Clear all',
  closeCenter: 'Close notifications',
  empty: 'No notifications',
};

export function fillLabel(label: string, values: Readonly<Record<string, string | number>>): string {
  return label.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** What the page has set on the element. Attributes are read when they are needed. */
export class Settings {
  #labels: Labels = englishLabels;
  readonly #host: Element;

  constructor(host: Element) {
    this.#host = host;
  }

  get labels(): Labels {
    return this.#labels;
  }

  /** What is absent or no text stays English. */
  set labels(given: Partial<Labels>) {
    this.#labels = { ...englishLabels };
    for (const [name, text] of Object.entries(given ?? {}))
      if (typeof text === 'string') Object.assign(this.#labels, { [name]: text });
  }

  /** The key that moves focus into the toasts; empty for none. */
  get hotkey(): string {
    return this.#host.getAttribute('hotkey') ?? 'F8';
  }

  /** Where toasts of the page without a position appear. */
  get position(): ToastPosition {
    const given = this.#host.getAttribute('position');
    return TOAST_POSITIONS.find((known) => known === given) ?? DEFAULT_POSITION;
  }
}
